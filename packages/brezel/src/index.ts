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
  type TensorLimits,
  type TensorPort,
  tensor,
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
export {
  type ExternalData,
  externalDataIn,
  type Imported,
  type ImportedModel,
  type ImportedTensors,
  type ImportOptions,
  type ImportProgress,
  importModel,
  importOnnx,
  importTensors,
  type TensorImportOptions,
} from '@brezel/onnx';
export * from '@brezel/oven';
export {
  type AddOptions,
  type AliasEvent,
  type AliasStatistics,
  type Answer,
  type AnswerElement,
  type AnswerList,
  type AnswerValue,
  type BatchingOptions,
  type BatchingStatistics,
  type BatchOptions,
  type CacheOptions,
  type CacheStatistics,
  type CallOptions,
  type CanaryOptions,
  type DrainOptions,
  type EngineName,
  type FileEvent,
  type LatencyOptions,
  type LatencyStatistics,
  type LoadedPlan,
  type ModelDescription,
  type Percentiles,
  type PlanProfile,
  PlanRegistry,
  type PlanSource,
  type PlanStatistics,
  type PredictionMessage,
  type PredictionVerb,
  type ProfileOptions,
  type QueueLimits,
  type QueueStatistics,
  type RegisteredPlan,
  type RegisteredTensors,
  type RegisterOptions,
  type RegisterTensorsOptions,
  RegistryError,
  type RegistryEvents,
  type RegistryOptions,
  type RegistryStatistics,
  type RouteOptions,
  type RoutePredictOptions,
  type Row,
  type RowSource,
  Runtime,
  type RuntimeStatistics,
  type ShadowAnswer,
  type ShadowOptions,
  type ShadowResult,
  type ShadowStatistics,
  type StreamOptions,
  type TensorInputs,
  type TensorOutputs,
  type UnloadReason,
  type VersionDescription,
  type VersionState,
  type VersionStatistics,
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
export type { PlanFile } from './registry/file-source.js';
export type { FolderWatch, WatchedFile, WatchOptions } from './registry/folder-watch.js';
export {
  createRegistry,
  type FleetPlan,
  ModelRegistry,
  type ModelRegistryOptions,
  type ModelSource,
} from './registry/model-registry.js';
export type { Comparison, Tolerance } from './test-data/compare.js';
export { type ReplayedOutput, replayTestData } from './test-data/replay.js';
export { createFlour, createRuntime, type FlourOptions, loadNative, openStore, type RuntimeOptions } from './wire.js';
