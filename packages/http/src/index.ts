export type { ErrorBody } from './error-response.js';
export { HttpError } from './errors.js';
export { changeModels, checkUnused, type ModelChange } from './model-changes.js';
export type { InferenceOptions, OpenGroup } from './options.js';
export { inferenceRoutes } from './plugin.js';
export { addMetrics, cumulative, type MetricValues, metricsText } from './processes/add-metrics.js';
export { addStatistics } from './processes/add-statistics.js';
export type { ProcessNumbers, ServerProcesses } from './processes/server-processes.js';
export type { GrpcCallTime } from './routes/metrics.js';
export type {
  CandidateCounts,
  FeedbackLosses,
  MissingCandidate,
  SelectedAnswer,
  SelectionApp,
  SelectionCounts,
  SelectOptions,
} from './selections/selection-app.js';
export type { ServedCandidate, ServedSelection } from './selections/selection-statistics.js';
export { checkTls, type RunningServer, type ServerOptions, startServer } from './server.js';
export { type ProcessMemory, processMemory } from './statistics/process-memory.js';
export type { TimeCounts } from './statistics/request-times.js';
export type { ProcessStatistics, ServedVersion, ServerStatistics } from './statistics/server-statistics.js';
export { percentileMs, timesSince } from './statistics/time-window.js';
