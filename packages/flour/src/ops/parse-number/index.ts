import { denseLike, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import type { ElementOf } from '../../flow-types.js';
import { placeOf } from '../../numbers.js';
import { type ParsedType, parsedTypeOf, parsedTypes, reference } from './reference.js';

/**
 * Defines the operator `parse-number`, which parses numbers from texts. `Flow.parseNumber` adds it
 * to a program.
 *
 * Types: text[n] → float32[n], float64[n] or int64[n].
 */
export const parseNumber = defineOp({
  name: 'parse-number',
  version: 1,
  doc: {
    does: 'Parses numbers from texts. A text that is not a number becomes NaN, or rejects its row (for int64 always).',
    types: 'text[n] → float32[n], float64[n] or int64[n]',
    attributes: { to: 'float32 (default), float64 or int64', unknown: 'error: rejects a text that is not a number' },
    kernels: ['parse_number'],
  },
  attributes: { to: 'infer', unknown: 'infer' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none', wide: true },
  infer(use) {
    const type = ofNumbers('parse-number', onlyInput('parse-number', use, 'scalar', 'vector'), 'string');
    const to = parsedTypeOf(use.attributes);
    placeOf('parse-number', 'to', to, parsedTypes);
    placeOf('parse-number', 'unknown', use.attributes.unknown ?? 'missing', ['missing', 'error']);
    return denseLike(type, to);
  },
  reference,
  kernel: ({ attributes }) => ({ kernel: 'parse_number', attributes: [attributes.unknown === 'error' ? 1 : 0] }),
});

/** Options of `Flow.parseNumber`. */
export interface ParseNumberOptions<To extends ParsedType = ParsedType> {
  /** Element type of the parsed numbers. Default float32. */
  readonly to?: To;
  /**
   * What to do with a text that is not a number: return NaN (`missing`, default), or reject the row
   * with an error. int64 has no NaN, so such a text always rejects the row.
   */
  readonly unknown?: 'missing' | 'error';
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Parses numbers from texts: decimal numbers with an optional exponent, `inf` and `nan`. White
     * space around a number is ignored. Any other text, for example the empty text, becomes NaN.
     *
     * Shapes: text, or a vector of strings → one number for each text. For int64, a number is
     * truncated. Cost: O(bytes). Bit-equal on every engine.
     * @throws ERR_RUNTIME_INPUT during a prediction, for a text that is not a number, with
     * `unknown: 'error'` or for int64.
     * @see Source: ONNX Cast from string; ML.NET TextLoader.
     * @example text.parseNumber().asVector()
     */
    parseNumber<const To extends ParsedType = 'float32'>(
      this: Flow<'text', Row, unknown>,
      options?: ParseNumberOptions<To>,
    ): Flow<'scalar', Row, ElementOf<To>>;
    parseNumber<const To extends ParsedType = 'float32'>(
      this: Flow<'vector', Row, unknown>,
      options?: ParseNumberOptions<To>,
    ): Flow<'vector', Row, readonly ElementOf<To>[]>;
  }
}

Flow.prototype.parseNumber = function (this: Flow, { to = 'float32', unknown }: ParseNumberOptions = {}) {
  if (to === 'int64' && unknown === 'missing')
    throw flourError('ERR_FLOUR_PARAM', {
      expected: "unknown: 'error'",
      received: "'missing' for int64",
      at: 'parse-number',
    });
  return this.context.apply(parseNumber, [this], {
    attributes: {
      ...(to !== 'float32' && { to }),
      ...(unknown === 'error' && to !== 'int64' && { unknown }),
    },
  }) as never;
};
