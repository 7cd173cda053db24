import { dtypeOf } from '@brezel/core';
import { denseLike, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { placeOf } from '../../numbers.js';
import '../cast/index.js';
import { type NarrowType, narrowTypes, reference } from './reference.js';

const names = Object.keys(narrowTypes);

export const narrow = defineOp({
  name: 'narrow',
  version: 1,
  doc: {
    does: 'The low bits of integers, as a narrower type holds them.',
    types: 'int64[n] → int32[n], uint32: int64[n]',
    attributes: { to: 'int8, uint8, int16, uint16 or uint32' },
    kernels: ['narrow'],
  },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    placeOf('narrow', 'type', use.attributes.to, names);
    const type = ofNumbers('narrow', onlyInput('narrow', use, 'scalar', 'vector'), 'int64');
    return denseLike(type, use.attributes.to === 'uint32' ? 'int64' : 'int32');
  },
  reference,
  kernel({ attributes }) {
    const { bits, signed } = narrowTypes[attributes.to as NarrowType];
    return { kernel: 'narrow', attributes: [bits, signed ? 1 : 0] };
  },
});

declare module '../../flow.js' {
  interface Flow<Kind> {
    /**
     * What is left of numbers in a narrower integer type: their low bits, after a fraction is cut off. Held as int32, uint32 as int64.
     *
     * Shapes: dense numbers → int32 or int64, as many. Cost: O(n).
     * @see Source: ONNX Cast to (u)int8, (u)int16 and uint32.
     * @example counts.narrow('uint8')
     */
    narrow(this: Flow<'vector'>, to: NarrowType): Flow<'vector'>;
    narrow(this: Flow<'scalar'>, to: NarrowType): Flow<'scalar'>;
  }
}

Flow.prototype.narrow = function (this: Flow, to: NarrowType) {
  const source = dtypeOf(this.type) === 'int64' ? this : (this as Flow<'vector'>).cast('int64');
  return this.context.apply(narrow, [source], { attributes: { to } }) as never;
};
