import type { Flow, OnnxConstant } from '@brezel/flour';

// int64 holds the bits of uint64. With the highest bit turned over, their order as int64 is that of
// the numbers, and back again.

const HIGHEST = -(2n ** 63n);

export const inOrder = (flow: Flow<'vector'>): Flow<'vector'> => flow.bitwise('xor', BigInt64Array.of(HIGHEST));

export const constantInOrder = (constant: OnnxConstant): OnnxConstant => ({
  dtype: 'int64',
  shape: constant.shape,
  data: (constant.data as BigInt64Array).map((value) => value ^ HIGHEST),
});
