export { GrpcError } from './errors.js';
export type { GrpcServerOptions } from './options.js';
export { type RunningGrpcServer, startGrpcServer } from './server.js';
