export { arityOf } from './arity/index.js';
export { attributeTypesOf } from './attribute-types/index.js';
export type { BlackBoxChoice } from './black-box/choice.js';
export type { BlackBoxSelector } from './black-box/choose.js';
export * from './errors.js';
export type { ExternalData } from './external-data.js';
export { externalDataIn } from './external-folder.js';
export { importOnnx } from './import.js';
export type { Spent } from './import-budget.js';
export { type Imported, importModel } from './import-model.js';
export type { ImportedModel, ImportOptions, ImportProgress, OutputLayout } from './import-options.js';
export {
  type ImportedTensors,
  importTensors,
  type TensorImportOptions,
} from './import-tensors.js';
export type { InputShapes } from './input-shapes.js';
export { defaultImportLimits, type ImportLimits, type ReadLimits } from './limits.js';
export { declaredInputsOf, type ModelFacts } from './model-facts.js';
export { readElements, writeElements } from './proto/element-tensor.js';
export * from './proto/make.js';
export { type MapEntry, readMap } from './proto/map.js';
export { readMapProto, readModel, readOptionalProto, readSequenceProto, readTensorProto } from './proto/read.js';
export {
  AttributeType,
  DataType,
  type MapProto,
  type ModelProto,
  type NodeProto,
  type SequenceProto,
  type TensorProto,
} from './proto/schema.js';
export { readTensor, type Tensor } from './proto/tensor.js';
export { writeMapProto, writeModel, writeSequenceProto, writeTensorProto } from './proto/write.js';
export type { NodeConversion } from './rows/node-converter.js';
