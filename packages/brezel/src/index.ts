export {
  type Backend,
  type BackendDevice,
  BackendError,
  type BackendFormat,
  type BackendModel,
  type BackendOptions,
  type BackendPort,
  type BackendReport,
  type BackendRunOptions,
  type BackendStage,
  type BackendTensor,
  type BackendTensors,
  type BlackBox,
  type BlackBoxNode,
  BrezelError,
  backendError,
  type CompiledPlan,
  checkBackendTensors,
  type OwnedPlan,
  type PhysicalStage,
  type PlanMeasurement,
  type PlannedStage,
  type ProviderReport,
  type RowTime,
  type StageMeasurement,
  type StagePlacement,
  scalar,
  type TensorLimits,
  type TensorPort,
  tensor,
  type ValueType,
  vector,
} from '@brezel/core';
export type { FleetContents, Golden, PlacedBlob, WrittenFleet } from '@brezel/fleet-file';
export * from '@brezel/flour';
export * from '@brezel/gbdt';
export * from '@brezel/lowering';
export * from '@brezel/mlnet';
export { ObjectStore, type StoreStatistics } from '@brezel/object-store';
export {
  type BlackBoxChoice,
  type BlackBoxWish,
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
export {
  type BufferStatistics,
  type OnnxruntimeBackend,
  type OnnxruntimeMemory,
  type OnnxruntimeOptions,
  onnxruntimeBackend,
} from '@brezel/onnxruntime';
export * from '@brezel/oven';
export {
  type AddOptions,
  type AliasEvent,
  type AliasStatistics,
  type CanaryOptions,
  type DrainOptions,
  type FileEvent,
  type LoadedPlan,
  type ModelDescription,
  PlanRegistry,
  type PlanSource,
  RegistryError,
  type RegistryEvents,
  type RegistryMetric,
  type RegistryOptions,
  type RegistryStatistics,
  type RouteCallOptions,
  type RouteOptions,
  type RoutePredictOptions,
  registryMetrics,
  type ShadowAnswer,
  type ShadowOptions,
  type ShadowResult,
  type ShadowStatistics,
  type UnloadReason,
  type VersionDescription,
  type VersionQuarantine,
  type VersionState,
  type VersionStatistics,
} from '@brezel/registry';
export {
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
  type CallStatistics,
  type DeviceOptions,
  type DeviceStageStatistics,
  type DeviceStatistics,
  type EngineChoice,
  type EngineName,
  type IsolationStatistics,
  type LatencyOptions,
  type LatencyStatistics,
  type LoweringOptions,
  type MaterializationOptions,
  type MaterializationStatistics,
  type Metric,
  type Percentiles,
  type PlanProfile,
  type PlanStatistics,
  type PoolStatistics,
  type PredictionMessage,
  type PredictionVerb,
  type PredictOptions,
  type ProfileOptions,
  type QuarantineOptions,
  type QuarantineStatistics,
  type QueueLimits,
  type QueueStatistics,
  type Reading,
  type RegisteredPlan,
  type RegisteredTensors,
  type RegisterOptions,
  type RegisterTensorsOptions,
  type ReservedPoolStatistics,
  type Row,
  type RowSource,
  Runtime,
  type RuntimeMetric,
  type RuntimeStatistics,
  runtimeMetrics,
  type StageLatency,
  type StreamOptions,
  type TensorCallOptions,
  type TensorInputs,
  type TensorOutputs,
  type VectorClassStatistics,
  type VectorOptions,
  type VectorPoolStatistics,
  type Whereabouts,
} from '@brezel/runtime';
export { type TfjsBackend, type TfjsMemory, type TfjsOptions, tfjsBackend } from '@brezel/tfjs';
export { type FoundBackends, findBackends, ownBackends } from './backends.js';
export { type Examination, examine } from './doctor/examine.js';
export type { PartReport } from './doctor/part-report.js';
export {
  type ExplainAnalyzeOptions,
  explainAnalyze,
  type MeasuredPlan,
  type MeasureOptions,
  measurePlan,
} from './explain-analyze.js';
export { Fleet, type Replay } from './fleet/fleet.js';
export type { GoldenDifference } from './fleet/golden.js';
export { type OpenOptions, openFleet } from './fleet/open-fleet.js';
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
