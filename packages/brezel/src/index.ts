export {
  BrezelError,
  type CompiledPlan,
  type OwnedPlan,
  type PhysicalStage,
  type PlanMeasurement,
  type PlannedStage,
  type RowTime,
  type StageMeasurement,
  scalar,
  type ValueType,
  vector,
} from '@brezel/core';
export * from '@brezel/flour';
export {
  type Golden,
  ObjectStore,
  type PlacedBlob,
  type StoreStatistics,
  type WrittenFleet,
} from '@brezel/object-store';
export { type ImportedModel, type ImportOptions, importOnnx } from '@brezel/onnx';
export * from '@brezel/oven';
export {
  type Answer,
  type AnswerValue,
  type EngineName,
  type PlanProfile,
  type ProfileOptions,
  type RegisteredPlan,
  type Row,
  Runtime,
  type RuntimeStatistics,
} from '@brezel/runtime';
export {
  type ExplainAnalyzeOptions,
  explainAnalyze,
  type MeasuredPlan,
  type MeasureOptions,
  measurePlan,
} from './explain-analyze.js';
export type { GoldenDifference } from './fleet/golden.js';
export { Fleet, type OpenOptions, openFleet, type Replay } from './fleet/open-fleet.js';
export { type FleetMember, type PackOptions, packFleet } from './fleet/pack-fleet.js';
export { type ProgramProfileOptions, profile } from './profile.js';
export { createFlour, createRuntime, type FlourOptions, loadNative, openStore, type RuntimeOptions } from './wire.js';
