export type { GrpcCall } from './call-records.js';
export { GrpcError } from './errors.js';
export type { GrpcServerOptions, GrpcServerProcesses, RepositoryChange } from './options.js';
export { type RunningGrpcServer, startGrpcServer } from './server.js';
