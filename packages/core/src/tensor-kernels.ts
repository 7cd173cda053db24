import type { Tensor } from './tensor.js';

/** The names of the addon's kernels for tensor programs. */
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
  'tree_shap',
] as const;

export type TensorKernelName = (typeof tensorKernelNames)[number];

/** The elements of a tensor that kernels read and write. */
export type KernelData = Exclude<Tensor['data'], readonly string[]>;

/**
 * Fast kernels for the operators of tensor programs. They return the same bits as the operators'
 * definitions. The addon implements them.
 */
export interface TensorKernels {
  /**
   * Runs a kernel on the calling thread.
   *
   * @param tensors the tensors that the kernel writes, then the tensors that it reads. An optional
   * tensor may be undefined.
   * @param numbers shapes and attributes, in the order that native/tensors documents.
   */
  run(kernel: TensorKernelName, tensors: readonly (KernelData | undefined)[], numbers: readonly number[]): void;
}
