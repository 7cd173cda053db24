import type { ModelRegistry } from 'brezel';
import { grpcError } from './errors.js';

/** Options of `startGrpcServer`. */
export interface GrpcServerOptions {
  /** The registry with the models. Closing the server does not close the registry. */
  readonly registry: ModelRegistry;
  /** The address on which the server listens. Default 127.0.0.1: only this machine can connect. */
  readonly host?: string;
  /** The port on which the server listens. Default 8081. With 0, the system chooses a free port. */
  readonly port?: number;
  /** Certificate and private key in PEM, for TLS. Default: no encryption. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  /** The largest number of rows in one request. Default 100,000. */
  readonly maxRows?: number;
  /** The largest number of bytes in one message that the server receives. Default 16 MiB. */
  readonly maxMessageBytes?: number;
  /**
   * The largest number of predictions in flight. Further requests get the status
   * RESOURCE_EXHAUSTED. Default 1024.
   */
  readonly concurrency?: number;
  /**
   * The largest number of calls that one connection can have in flight. A client delays further
   * calls. Default 256.
   */
  readonly maxStreams?: number;
  /**
   * The token for load and unload of models. All methods except ServerLive and ServerReady then
   * require the metadata `authorization: Bearer TOKEN`. Default: no token, no load and no unload.
   */
  readonly token?: string;
  /** Whether predictions and metadata need no token. Default false. */
  readonly openPredict?: boolean;
  /** Milliseconds for which requests in flight may continue after `close`. Default 10,000. */
  readonly drainMs?: number;
  /**
   * Milliseconds in which the request of a call must arrive completely and end. Streams have no
   * such limit. Default 300,000; 0 disables the limit.
   */
  readonly requestTimeoutMs?: number;
  /** Milliseconds after which a connection without calls is closed. Default 60,000. */
  readonly idleTimeoutMs?: number;
  /**
   * Receives the errors whose details clients do not see: errors with the status INTERNAL, and
   * errors of models that cannot be loaded. Default: writes the error to standard error.
   */
  readonly logError?: (error: unknown) => void;
}

/** The options of a server, completed with the defaults. */
export type CheckedOptions = Required<Omit<GrpcServerOptions, 'tls' | 'token'>> &
  Pick<GrpcServerOptions, 'tls' | 'token'>;

const MEBIBYTE = 2 ** 20;
const MAX_MS = 2 ** 31 - 1;
const MAX_COUNT = 2 ** 31 - 1;

/** The default and the range of each option that is an integer. */
const INTEGERS = {
  port: { usual: 8081, least: 0, most: 65_535 },
  maxRows: { usual: 100_000, least: 1, most: MAX_COUNT },
  maxMessageBytes: { usual: 16 * MEBIBYTE, least: 1, most: MAX_COUNT },
  concurrency: { usual: 1024, least: 1, most: MAX_COUNT },
  maxStreams: { usual: 256, least: 1, most: MAX_COUNT },
  drainMs: { usual: 10_000, least: 0, most: MAX_MS },
  requestTimeoutMs: { usual: 300_000, least: 0, most: MAX_MS },
  idleTimeoutMs: { usual: 60_000, least: 1000, most: MAX_MS },
} as const;

/**
 * Checks the options and adds the defaults.
 * @throws ERR_GRPC_OPTION for an invalid option.
 */
export function checkedOptions(options: GrpcServerOptions): CheckedOptions {
  const { registry, host = '127.0.0.1', tls, token, openPredict = false, logError = console.error } = options;
  if (token === '') throw grpcError('ERR_GRPC_OPTION', { expected: 'token: not empty', received: 'an empty text' });
  const integers = Object.entries(INTEGERS).map(([name, { usual, least, most }]) => {
    const value = options[name as keyof typeof INTEGERS] ?? usual;
    if (Number.isInteger(value) && value >= least && value <= most) return [name, value];
    throw grpcError('ERR_GRPC_OPTION', {
      expected: `${name}: an integer from ${least} to ${most}`,
      received: `${value}`,
    });
  });
  const checked = Object.fromEntries(integers) as Record<keyof typeof INTEGERS, number>;
  return { registry, host, tls, token, openPredict, logError, ...checked };
}
