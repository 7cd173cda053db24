// `brezel/inference-session`: the class of onnxruntime-node that runs a model, over Brezel.
export { InferenceSession } from './session.js';
export { Tensor, type TensorConstructor, type TensorLike, type TypedTensor } from './tensor.js';
export type { TensorData, TensorType } from './tensor-types.js';
export type {
  DictionaryRows,
  ExternalFile,
  Feeds,
  Fetches,
  Results,
  RunOptions,
  SessionOptions,
  ValueMetadata,
} from './types.js';
