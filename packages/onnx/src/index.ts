export * from './errors.js';
export { type ImportedModel, type ImportOptions, importOnnx } from './import.js';
export type { Limits } from './proto/input.js';
export * from './proto/make.js';
export { readModel, readTensorProto } from './proto/read.js';
export { AttributeType, DataType, type ModelProto, type NodeProto, type TensorProto } from './proto/schema.js';
export { readTensor, type Tensor } from './proto/tensor.js';
export { writeModel, writeTensorProto } from './proto/write.js';
