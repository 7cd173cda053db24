import { optionalPackage } from '../optional-package.js';

/**
 * Loads the package of the server.
 *
 * @throws ERR_CLI_SERVER if it is not installed.
 */
export const loadServer = (): Promise<typeof import('@brezel/http')> =>
  optionalPackage('@brezel/http', () => import('@brezel/http'), 'ERR_CLI_SERVER');

/**
 * Loads the package of the gRPC server.
 *
 * @throws ERR_CLI_GRPC if it is not installed.
 */
export const loadGrpcServer = (): Promise<typeof import('@brezel/grpc')> =>
  optionalPackage('@brezel/grpc', () => import('@brezel/grpc'), 'ERR_CLI_GRPC');

/**
 * Loads the package for clusters on NATS.
 *
 * @throws ERR_CLI_NATS if it is not installed.
 */
export const loadNats = (): Promise<typeof import('@brezel/nats')> =>
  optionalPackage('@brezel/nats', () => import('@brezel/nats'), 'ERR_CLI_NATS');
