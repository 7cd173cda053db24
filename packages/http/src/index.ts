export type { ErrorBody } from './error-response.js';
export { HttpError } from './errors.js';
export type { InferenceOptions, OpenGroup } from './options.js';
export { inferenceRoutes } from './plugin.js';
export { type RunningServer, type ServerOptions, startServer } from './server.js';
