export * from './errors.js';
export type { Answer, AnswerElement, AnswerList, AnswerValue } from './execute/answers/answers.js';
export type { AnswerElementChoice } from './execute/contributions/answer-target.js';
export type { BackgroundOptions } from './execute/contributions/background.js';
export type { Contribution } from './execute/contributions/contribution-list.js';
export { explainErrors } from './execute/contributions/errors.js';
export type { Contributions } from './execute/contributions/explain-rows.js';
export type { ClassImportance, FeatureImportance } from './execute/contributions/importance-sums.js';
export type { Reason, Reasons } from './execute/contributions/reasons.js';
export type { MethodOptions, Sampling } from './execute/contributions/sampled.js';
export type { EngineChoice, EngineName } from './execute/engine-name.js';
export type { NativeKernels, RowKernels } from './execute/native/native-kernels.js';
export { rowBlocks } from './execute/rows/input-blocks.js';
export { admit, type Column, type Row, type RowSchema } from './execute/rows/row-schema.js';
export type { TensorInputs } from './execute/tensors/admit-tensors.js';
export type { TensorOutputs } from './execute/tensors/predict-tensors.js';
export type { RegisteredTensors, RegisterTensorsOptions } from './execute/tensors/registered-tensors.js';
export {
  type KernelPlan,
  KernelPlans,
  StoreKernels,
  ThreadKernels,
  WasmInstance,
  WasmKernels,
  type WasmModule,
  type WasmStatistics,
  wasmMemory,
  webAssembly,
} from './execute/wasm/index.js';
export { type CallLimits, type CallOptions, callLimits } from './features/admission/call-limits.js';
export type { QueueLimits, QueueStatistics } from './features/admission/queue.js';
export type { BatchingStatistics } from './features/batching/delayed-batching.js';
export type { BatchingOptions } from './features/batching/options.js';
export type { MaterializationOptions, MaterializationStatistics } from './features/cache/materialization.js';
export type { CacheOptions } from './features/cache/options.js';
export type { CacheStatistics } from './features/cache/prediction-cache.js';
export type { QuarantineOptions } from './features/circuit-breaker/options.js';
export type { CallStatistics, QuarantineStatistics } from './features/circuit-breaker/plan-guard.js';
export { isPlanFailure, Quarantine, type QuarantineLimits } from './features/circuit-breaker/quarantine.js';
export type { DeviceOptions, LoweringOptions } from './features/devices/options.js';
export type { DeviceStageStatistics, DeviceStatistics } from './features/devices/statistics.js';
export { failedPlansOf } from './features/fan-out/failed-plans.js';
export type { QualityOptions } from './features/quality/options.js';
export { addQuality } from './features/quality/sum.js';
export type { RowSource, StreamOptions } from './features/stream/answer-stream.js';
export { checkRuntimeOptions } from './option-names.js';
export type {
  JavaScriptStatistics,
  ReservedWorkerStatistics,
  WorkerStatistics,
} from './parallel/executors/javascript/statistics.js';
export type {
  PoolStatistics,
  ReservedPoolStatistics,
  VectorClassStatistics,
  VectorPoolStatistics,
} from './parallel/executors/pool-statistics.js';
export type { Priority, Reservation, SchedulingOptions } from './parallel/executors/scheduling-options.js';
export type { ExecutorStatistics, GroupStatistics, ReservedStatistics } from './parallel/executors/statistics.js';
export type { VectorOptions } from './parallel/executors/vector-options.js';
export type { IsolationParts, IsolationStatistics } from './parallel/isolated/isolation.js';
export type { PlanPayload, WorkerResult, WorkerTask } from './parallel/workers/protocol.js';
export { workerErrors } from './parallel/workers/sent-errors.js';
export { plainPlan, type WorkerParts } from './parallel/workers/worker-plan.js';
export { WorkerPlans } from './parallel/workers/worker-plans.js';
export type { FleetPlans } from './plans/fleet-plans.js';
export type { FleetRegisterOptions } from './plans/fleet-registration.js';
export type { FleetLease, FleetSource } from './plans/fleet-source.js';
export { passesIntegersByName } from './plans/integer-operators.js';
export type { AnswerOptions, RowOptions } from './plans/plan-ports.js';
export { type RegisterOptions, registerOptionNames } from './plans/register-options.js';
export type { AnyPlan, RegisteredPlan } from './plans/registered-plan.js';
export { isLargePlan } from './plans/registration.js';
export { checkedStore } from './plans/runtime-options.js';
export {
  type JsonSchema,
  type JsonSchemaOptions,
  type JsonSchemaTarget,
  jsonSchemaOf,
  type PlanJsonSchema,
} from './plans/schemas/json-schema.js';
export type { PlanSchemas, RowIssue, RowResult, StandardRowSchema } from './plans/schemas/standard-schema.js';
export type { StageDescription } from './plans/stage-description.js';
export { Runtime } from './runtime.js';
export { type CloseOptions, type RuntimeParts, runtimeOptionNames } from './runtime-parts.js';
export type { LatencyOptions, LatencyStatistics, PredictionVerb } from './telemetry/latencies.js';
export { qualityMetrics } from './telemetry/metrics/quality-metrics.js';
export { type Metric, type Reading, type RuntimeMetric, runtimeMetrics } from './telemetry/metrics/runtime-metrics.js';
export type { Percentiles } from './telemetry/percentiles.js';
export type { ExecutionLocation, PredictionMessage } from './telemetry/prediction-trace.js';
export type { PlanProfile, ProfileOptions } from './telemetry/profile.js';
export type { StageLatency } from './telemetry/stage-times.js';
export type { PlanStatistics, RuntimeStatistics, TensorsStatistics } from './telemetry/statistics.js';
export type { BatchOptions, RowBatchOptions } from './verbs/batch.js';
export {
  type ContributionBatchOptions,
  type ContributionOptions,
  contributionOptionNames,
} from './verbs/contributions.js';
export { type ExplainedAnswer, type WithContributions, wantsContributions } from './verbs/explained-answers.js';
export type { Importance, ImportanceOptions } from './verbs/importance.js';
export type { PredictOptions } from './verbs/single-row.js';
export type { WarmOptions, WarmUpReport } from './verbs/warm.js';
