export {
  BrezelError,
  type CompiledPlan,
  type OwnedPlan,
  type PhysicalStage,
  type PlannedStage,
  scalar,
  type ValueType,
  vector,
} from '@brezel/core';
export * from '@brezel/flour';
export { ObjectStore, type StoreStatistics } from '@brezel/object-store';
export { type ImportedModel, type ImportOptions, importOnnx } from '@brezel/onnx';
export * from '@brezel/oven';
export {
  type Answer,
  type AnswerValue,
  type EngineName,
  type RegisteredPlan,
  type Row,
  Runtime,
  type RuntimeStatistics,
} from '@brezel/runtime';
export { createFlour, createRuntime, type FlourOptions, loadNative, openStore, type RuntimeOptions } from './wire.js';
