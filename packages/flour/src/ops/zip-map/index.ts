import { sizeOf } from '@brezel/core';
import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import '../densify/index.js';
import { passOn } from '../../contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `zip-map`, which names every element of a vector. `Flow.zipMap` adds it to a
 * program.
 *
 * Types: float32[n] → map.
 */
export const zipMap = defineOp({
  name: 'zip-map',
  version: 1,
  doc: {
    does: 'Names every element.',
    types: 'float32[n] → map',
    attributes: { keys: 'the names' },
  },
  attributes: { keys: 'list of texts' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none', alias: true },
  infer(use) {
    const type = ofNumbers('zip-map', onlyInput('zip-map', use, 'vector'), 'float32');
    const keys = use.attributes.keys as readonly string[];
    if (keys.length !== sizeOf(type))
      throw flourError('ERR_FLOUR_SIZE', {
        expected: `${sizeOf(type)} names`,
        received: `${keys.length}`,
        at: 'zip-map',
      });
    return { kind: 'map', keys };
  },
  reference,
  contributions: passOn,
  summary: ({ attributes: { keys } }) => `${(keys as readonly string[]).length} names`,
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Names every element: the answer is an object `{ name: number }`.
     *
     * Shapes: dense float32 `[n]` → map. Free.
     * @throws ERR_FLOUR_SIZE unless there is one name per element.
     * @see Source: ONNX-ML ZipMap-1.
     * @example probabilities.zipMap(['negative', 'positive'])
     */
    zipMap<const Name extends string>(
      this: Flow<'vector', Row, unknown>,
      names: readonly Name[],
    ): Flow<'map', Row, Readonly<Record<Name, number>>>;
  }
}

Flow.prototype.zipMap = function (this: Flow<'vector'>, names) {
  return this.context.apply<'map'>(zipMap, [this.densify()], { attributes: { keys: [...names] } });
};
