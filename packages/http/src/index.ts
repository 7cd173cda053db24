export type { ErrorBody } from './error-response.js';
export { HttpError } from './errors.js';
export type { InferenceOptions, OpenGroup } from './options.js';
export { inferenceRoutes } from './plugin.js';
export { type RunningServer, type ServerOptions, startServer } from './server.js';
export type { ProcessMemory } from './statistics/process-memory.js';
export type { TimeCounts } from './statistics/request-times.js';
export type { ProcessStatistics, ServedVersion, ServerStatistics } from './statistics/server-statistics.js';
export { percentileMs, timesSince } from './statistics/time-window.js';
