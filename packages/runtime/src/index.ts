export { admit, type Column, type Row } from './admission.js';
export { type CallLimits, type CallOptions, callLimits } from './admission-control/call-limits.js';
export type { QueueLimits, QueueStatistics } from './admission-control/queue.js';
export type { Answer, AnswerElement, AnswerList, AnswerValue } from './answers.js';
export type { CacheOptions } from './cache/cached-plan.js';
export type { MaterializationOptions, MaterializationStatistics } from './cache/materialization.js';
export type { CacheStatistics } from './cache/prediction-cache.js';
export type { BatchingOptions, BatchingStatistics } from './delayed-batching.js';
export type { DeviceOptions, LoweringOptions } from './devices/options.js';
export type { DeviceStageStatistics, DeviceStatistics } from './devices/statistics.js';
export type { EngineChoice, EngineName } from './engines/engine-name.js';
export * from './errors.js';
export type {
  JavaScriptStatistics,
  ReservedWorkerStatistics,
  WorkerStatistics,
} from './executors/javascript/statistics.js';
export type {
  PoolStatistics,
  ReservedPoolStatistics,
  VectorClassStatistics,
  VectorPoolStatistics,
} from './executors/pool-statistics.js';
export type { Priority, Reservation, SchedulingOptions } from './executors/scheduling-options.js';
export type { ExecutorStatistics, GroupStatistics, ReservedStatistics } from './executors/statistics.js';
export type { VectorOptions } from './executors/vector-options.js';
export { fastKernels } from './fallback/index.js';
export { rowBlocks } from './input-blocks.js';
export type { IsolationParts, IsolationStatistics } from './isolation/isolation.js';
export type { CallStatistics, QuarantineOptions, QuarantineStatistics } from './isolation/plan-guard.js';
export { isPlansFault, Quarantine, type QuarantineLimits } from './isolation/quarantine.js';
export { WorkerPlans } from './lifecycle/worker-plans.js';
export { type Metric, type Reading, type RuntimeMetric, runtimeMetrics } from './metrics/runtime-metrics.js';
export type { NativeKernels } from './native.js';
export type { LatencyOptions, LatencyStatistics, PredictionVerb } from './observation/latencies.js';
export type { Percentiles } from './observation/percentiles.js';
export type { PredictionMessage, Whereabouts } from './observation/prediction-trace.js';
export type { StageLatency } from './observation/stage-times.js';
export type { PlanProfile, ProfileOptions } from './profile.js';
export { checkedStore, type RegisterOptions } from './register-options.js';
export type { RegisteredPlan } from './registered-plan.js';
export { Runtime } from './runtime.js';
export type { CloseOptions, RuntimeParts } from './runtime-parts.js';
export type { PlanStatistics, RuntimeStatistics, TensorsStatistics } from './statistics.js';
export type { RowSource, StreamOptions } from './stream/answer-stream.js';
export type { TensorInputs } from './tensors/admit-tensors.js';
export type { TensorCallOptions, TensorOutputs } from './tensors/predict-tensors.js';
export type { RegisteredTensors, RegisterTensorsOptions } from './tensors/registered-tensors.js';
export type { BatchOptions } from './verbs/batch.js';
export type { PredictOptions } from './verbs/single-row.js';
export type { WarmOptions, Warmth } from './warm.js';
export type { WorkerError, WorkerPlan, WorkerResult, WorkerTask } from './workers/protocol.js';
export type { WorkerParts } from './workers/worker-plan.js';
