import {
  booleanOption,
  type CertificatePair,
  checkCertificate,
  checkKnownOptions,
  checkOptionTypes,
  type ErrorDetails,
  functionOption,
  integerOption,
  MAX_COUNT,
  type OptionTypes,
  objectOption,
  registryOption,
  textOption,
  tlsOption,
  tokenOption,
} from '@brezel/oip';
import type { ModelRegistry } from 'brezel';
import type { GrpcCall } from './call-records.js';
import { grpcError } from './errors.js';

/**
 * A change of the loaded models that a client requests. A reference names a model of the registry;
 * it cannot be the path of a file.
 */
export type RepositoryChange =
  | { readonly action: 'load'; readonly reference: string }
  | { readonly action: 'unload'; readonly name: string };

/** The interface through which one process of a server reaches all its processes. */
export interface GrpcServerProcesses {
  /** Loads or unloads a model in all processes, or in none. */
  change(change: RepositoryChange): Promise<void>;
}

/** Options of `startGrpcServer`. */
export interface GrpcServerOptions {
  /** The registry with the models. Closing the server does not close the registry. */
  readonly registry: ModelRegistry;
  /** The address on which the server listens. Default 127.0.0.1: only this machine can connect. */
  readonly host?: string;
  /** The port on which the server listens. Default 8081. With 0, the system chooses a free port. */
  readonly port?: number;
  /** Certificate and private key in PEM, for TLS. Default: no encryption. */
  readonly tls?: CertificatePair;
  /** The largest number of rows in one request. Default 100,000. */
  readonly maxRows?: number;
  /** The largest number of bytes in one message that the server receives. Default 16 MiB. */
  readonly maxMessageBytes?: number;
  /**
   * The largest number of predictions in flight, from the head of a request to the end of its
   * response. A stream counts while a message arrives and until the server has answered all
   * received messages. Further requests get the status RESOURCE_EXHAUSTED. Default 1024.
   */
  readonly concurrency?: number;
  /**
   * The largest number of calls that one connection can have in flight. A client delays further
   * calls. Default 256.
   */
  readonly maxStreams?: number;
  /**
   * The token that clients send in the metadata `authorization: Bearer TOKEN`. A server with a
   * token requires it for all methods except ServerLive and ServerReady; see `openPredict`. Only a
   * server with a token allows load and unload of models. A token consists of printable ASCII
   * characters. Default: no token, no load and no unload.
   */
  readonly token?: string;
  /** Whether only load and unload of models need the token. Default false. */
  readonly openPredict?: boolean;
  /**
   * Returns whether the server is ready for requests; ServerReady calls this function. Default:
   * ready until `close`.
   */
  readonly isReady?: () => boolean;
  /**
   * Milliseconds for which the server still accepts calls after `close`, while ServerReady answers
   * false, so that a balancer chooses other servers. Default 0.
   */
  readonly shutdownDelayMs?: number;
  /**
   * Milliseconds for which calls in flight may continue after the server has stopped accepting
   * calls. Default 10,000.
   */
  readonly drainMs?: number;
  /**
   * The milliseconds after which a call fails if its request has not arrived completely. In a
   * stream, the limit applies to each message, from its first bytes; the pauses between messages
   * have no limit. The TLS handshake must end within this time, and within 20 seconds at most.
   * Default 300,000; 0 disables the limit, except for the TLS handshake.
   */
  readonly requestTimeoutMs?: number;
  /** Milliseconds after which a connection without calls is closed. Default 60,000. */
  readonly idleTimeoutMs?: number;
  /**
   * Receives the errors whose details clients do not see: errors with the status INTERNAL, and
   * errors of models that cannot be loaded. Default: writes the error to standard error.
   */
  readonly logError?: (error: unknown) => void;
  /** Whether to write one line of JSON for each call to standard output. Default false. */
  readonly accessLog?: boolean;
  /**
   * A function that receives each call when it ends, for metrics. It does not receive calls of
   * unknown methods. If the function throws, `logError` receives the error.
   */
  readonly onCall?: (call: GrpcCall) => void;
  /**
   * The interface to all processes of a server that has several processes. `brezel serve
   * --processes` sets the option in each worker. Default: this process is the server.
   */
  readonly processes?: GrpcServerProcesses;
}

/** The options of a server, completed with the defaults. */
export type CheckedOptions = Required<Omit<GrpcServerOptions, OptionalName>> & Pick<GrpcServerOptions, OptionalName>;

/** The options without a default. */
type OptionalName = 'tls' | 'token' | 'onCall' | 'processes';

const MEBIBYTE = 2 ** 20;
const MAX_MS = 2 ** 31 - 1;

const types: OptionTypes<GrpcServerOptions> = {
  registry: registryOption,
  host: textOption,
  port: integerOption(0, 65_535),
  tls: tlsOption,
  maxRows: integerOption(1, MAX_COUNT),
  maxMessageBytes: integerOption(1, MAX_COUNT),
  concurrency: integerOption(1, MAX_COUNT),
  maxStreams: integerOption(1, MAX_COUNT),
  token: tokenOption,
  openPredict: booleanOption,
  isReady: functionOption,
  shutdownDelayMs: integerOption(0, MAX_MS),
  drainMs: integerOption(0, MAX_MS),
  requestTimeoutMs: integerOption(0, MAX_MS),
  idleTimeoutMs: integerOption(1000, MAX_MS),
  logError: functionOption,
  accessLog: booleanOption,
  onCall: functionOption,
  processes: objectOption('the processes of brezel serve', 'change'),
};

/**
 * Checks the options and adds the defaults.
 * @throws ERR_GRPC_OPTION for an invalid option, ERR_GRPC_TLS for an invalid certificate or key.
 */
export function checkedOptions(options: GrpcServerOptions): CheckedOptions {
  const fail = (details: ErrorDetails) => grpcError('ERR_GRPC_OPTION', details);
  checkKnownOptions(options, types, fail, 'startGrpcServer');
  checkOptionTypes(options, types, fail);
  if (options.tls !== undefined) checkCertificate(options.tls, (details) => grpcError('ERR_GRPC_TLS', details));
  return {
    registry: options.registry,
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 8081,
    tls: options.tls,
    maxRows: options.maxRows ?? 100_000,
    maxMessageBytes: options.maxMessageBytes ?? 16 * MEBIBYTE,
    concurrency: options.concurrency ?? 1024,
    maxStreams: options.maxStreams ?? 256,
    token: options.token,
    openPredict: options.openPredict ?? false,
    isReady: options.isReady ?? (() => true),
    shutdownDelayMs: options.shutdownDelayMs ?? 0,
    drainMs: options.drainMs ?? 10_000,
    requestTimeoutMs: options.requestTimeoutMs ?? 300_000,
    idleTimeoutMs: options.idleTimeoutMs ?? 60_000,
    logError: options.logError ?? console.error,
    accessLog: options.accessLog ?? false,
    onCall: options.onCall,
    processes: options.processes,
  };
}
