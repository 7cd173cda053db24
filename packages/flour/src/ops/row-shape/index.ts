import { dtypeOf, printType, scalar, sizeOf, vector } from '@brezel/core';
import { onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { reference } from './reference.js';

/** One element as a scalar (`[N]`) or as a vector of one (`[N, 1]`): the same numbers, typed otherwise. */
export const rowShape = defineOp({
  name: 'row-shape',
  version: 1,
  doc: {
    does: 'A number as a vector of one element, or the reverse.',
    types: '[1] of any type ↔ one value',
    attributes: { to: 'vector or scalar' },
  },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none', alias: true },
  infer(use) {
    const type = onlyInput('row-shape', use, 'scalar', 'vector');
    if (sizeOf(type) !== 1)
      throw flourError('ERR_FLOUR_SIZE', { expected: 'one element a row', received: printType(type), at: 'row-shape' });
    return use.attributes.to === 'scalar' ? scalar(dtypeOf(type)) : vector(dtypeOf(type), 1);
  },
  reference,
});

declare module '../../flow.js' {
  interface Flow<Kind> {
    /** A scalar as a vector of one element. Free. @example scores.argMax().asVector() */
    asVector(this: Flow<'scalar'> | Flow<'text'>): Flow<'vector'>;
    /** A vector of one element as a scalar, text when it is a string. Free. @example features.logistic({ weights }).asScalar() */
    asScalar(this: Flow<'vector'>): Flow<'scalar'> | Flow<'text'>;
  }
}

Flow.prototype.asVector = function (this: Flow) {
  return this.context.apply<'vector'>(rowShape, [this], { attributes: { to: 'vector' } });
};

Flow.prototype.asScalar = function (this: Flow<'vector'>) {
  return this.context.apply(rowShape, [this], { attributes: { to: 'scalar' } }) as Flow<'scalar'>;
};
