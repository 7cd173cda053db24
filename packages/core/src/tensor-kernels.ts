import type { Tensor } from './tensor.js';

/** Kernels of tensor programs, as the addon names them. */
export const tensorKernelNames = [
  'batch_norm',
  'conv',
  'layer_norm',
  'map',
  'mat_mul',
  'pair',
  'pool',
  'softmax',
  'strided',
] as const;

export type TensorKernelName = (typeof tensorKernelNames)[number];

/** Elements of a tensor that kernels read and write. */
export type KernelData = Exclude<Tensor['data'], readonly string[]>;

/** Fast kernels for the operators of tensor programs: the bits of their definitions. Handed in as a value. */
export interface TensorKernels {
  /**
   * Runs a kernel on the calling thread.
   *
   * @param tensors what it writes, then what it reads; an optional one may be left out.
   * @param numbers shapes and attributes, in the order that native/tensors tells.
   */
  run(kernel: TensorKernelName, tensors: readonly (KernelData | undefined)[], numbers: readonly number[]): void;
}
