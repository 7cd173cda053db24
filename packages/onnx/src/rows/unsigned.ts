import type { Flow, OnnxConstant } from '@brezel/flour';

// Flows hold the bits of uint64 in an int64. Inverting the highest bit gives int64 numbers in the
// order of the uint64 numbers. Inverting it again restores the bits.

const HIGHEST = -(2n ** 63n);

export const inOrder = (flow: Flow<'vector'>): Flow<'vector'> => flow.bitwise('xor', BigInt64Array.of(HIGHEST));

export const constantInOrder = (constant: OnnxConstant): OnnxConstant => ({
  dtype: 'int64',
  shape: constant.shape,
  data: (constant.data as BigInt64Array).map((value) => value ^ HIGHEST),
});
