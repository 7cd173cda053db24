import { sizeOf, vector } from '@brezel/core';
import { MAX_AXES, ofNumbers } from '../../checks.js';
import { defineOp, type OperatorUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { integerIn } from '../../numbers.js';
import { reference } from './reference.js';

const MOST = 2 ** 30;

/**
 * Defines the operator `ravel-index`, which converts tuples of indices to indices of the flattened
 * array. A tuple has one index for each axis. `Flow.ravelIndex` adds it to a program.
 *
 * Types: int64[tuples * axes] → int64[tuples].
 */
export const ravelIndex = defineOp({
  name: 'ravel-index',
  version: 1,
  doc: {
    does: 'Converts each tuple of indices to one index of the flattened array. A negative index counts from the end. An index out of range rejects the row.',
    types: 'int64[tuples * axes] → int64[tuples]',
    attributes: {
      sizes: 'entries of each axis',
      strides: 'distance of two neighbors along each axis in the flattened array',
    },
    kernels: ['ravel_index'],
  },
  attributes: { sizes: 'infer', strides: 'infer' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none', discontinuous: true },
  infer,
  reference,
  kernel: ({ attributes }) => ({
    kernel: 'ravel_index',
    attributes: [...(attributes.sizes as number[]), ...(attributes.strides as number[])],
  }),
});

function infer(use: OperatorUse) {
  const indices = ofNumbers('ravelIndex', use.inputs[0]!, 'int64');
  const [sizes, strides] = ['sizes', 'strides'].map((name) => use.attributes[name]) as [number[], number[]];
  const axes = integerIn('ravelIndex', 'axes', sizes?.length, 1, MAX_AXES);
  for (const size of sizes) integerIn('ravelIndex', 'size', size, 1, MOST);
  integerIn('ravelIndex', 'strides', strides?.length, axes, axes);
  for (const stride of strides) integerIn('ravelIndex', 'stride', stride, 1, MOST);
  const greatest = sizes.reduce((sum, size, axis) => sum + (size - 1) * strides[axis]!, 0);
  integerIn('ravelIndex', 'greatest place', greatest, 0, MOST);
  const size = sizeOf(indices);
  if (use.inputs.length === 1 && indices.kind !== 'sparse' && size % axes === 0) return vector('int64', size / axes);
  throw flourError('ERR_FLOUR_SIZE', { expected: `tuples of ${axes} indices`, received: `${size}`, at: 'ravelIndex' });
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Converts each tuple of indices to the index of a flattened tensor: `[i, j]` in a matrix of
     * `columns` columns becomes `i * columns + j`. A negative index counts from the end of its
     * axis.
     *
     * Shapes: int64 `[tuples * axes]`, one tuple after another → int64 `[tuples]`. `sizes`: number
     * of entries along each axis. `strides`: for each axis, the distance of two neighbors in the
     * flattened tensor; the default is row-major order. Cost: O(n).
     * @throws ERR_FLOUR_SIZE for an incomplete tuple. During a prediction, ERR_RUNTIME_INPUT for an
     * index out of range.
     * @see Source: NumPy ravel_multi_index; ONNX GatherND, GatherElements, ScatterElements.
     * @example counts.gather(counts.cast('int64').ravelIndex([counts.type.size]))
     */
    ravelIndex(
      this: Flow<'vector', Row, unknown>,
      sizes: readonly number[],
      strides?: readonly number[],
    ): Flow<'vector', Row>;
  }
}

const rowMajor = (sizes: readonly number[]): number[] =>
  sizes.map((_, axis) => sizes.slice(axis + 1).reduce((product, size) => product * size, 1));

Flow.prototype.ravelIndex = function (this: Flow<'vector'>, sizes, strides = rowMajor(sizes)) {
  return this.context.apply<'vector'>(ravelIndex, [this], { attributes: { sizes: [...sizes], strides: [...strides] } });
};
