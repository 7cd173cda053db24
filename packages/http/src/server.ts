import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  booleanOption,
  type CertificatePair,
  checkCertificate,
  checkKnownOptions,
  checkOptionTypes,
  integerOption,
  type OptionTypes,
  textOption,
  tlsOption,
} from '@brezel/oip';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { answerClientError } from './client-errors.js';
import { responseOf } from './error-response.js';
import { httpError } from './errors.js';
import { type InferenceOptions, inferenceTypes, optionError } from './options.js';
import { addRoutes } from './plugin.js';
import { requestLogger } from './request-logger.js';
import { type GrpcCallTime, NO_METRICS } from './routes/metrics.js';

/** Options of `startServer`. */
export interface ServerOptions extends InferenceOptions {
  /** The address on which the server listens. Default 127.0.0.1: only this machine can connect. */
  readonly host?: string;
  /** The port on which the server listens. Default 8080. With 0, the system chooses a free port. */
  readonly port?: number;
  /** Certificate and private key in PEM, for HTTPS. */
  readonly tls?: CertificatePair;
  /**
   * Milliseconds for which the server still accepts requests after `close`, while
   * `/v2/health/ready` has status 503, so that a balancer chooses other servers. Default 0.
   */
  readonly shutdownDelayMs?: number;
  /**
   * Milliseconds for which requests in flight may continue after the server has stopped accepting
   * requests. Default 10,000.
   */
  readonly drainMs?: number;
  /**
   * Milliseconds in which a request must arrive completely. The TLS handshake must end within this
   * time, and within 20 seconds at most. Default 300,000; 0 disables the limit, except for the TLS
   * handshake.
   */
  readonly requestTimeoutMs?: number;
  /** Milliseconds after which a connection without traffic is closed. Default 60,000. */
  readonly idleTimeoutMs?: number;
  /** Whether to write one line of JSON for each request to standard output. Default false. */
  readonly accessLog?: boolean;
}

/** A server that listens. */
export interface RunningServer {
  /** `http://HOST:PORT`, or `https://HOST:PORT`. */
  readonly url: string;
  readonly app: FastifyInstance;
  /**
   * Adds the time of a gRPC call to `/metrics`. Pass this function as the option `onCall` of
   * `startGrpcServer`, if both servers are in one process.
   */
  recordCall(call: GrpcCallTime): void;
  /**
   * Reports immediately that the server is not ready. After `shutdownDelayMs`, stops accepting
   * requests and waits for the requests in flight. Closes the connections that still have requests
   * in flight after `drainMs`. It does not close the registry. Repeated calls return the same
   * promise.
   */
  close(): Promise<void>;
}

const DRAIN_MS = 10_000;
const MEBIBYTE = 2 ** 20;
/**
 * The time in milliseconds in which the headers of a request must arrive, and in which a TLS
 * handshake must end.
 */
const HEADERS_MS = 20_000;
/** The default of `requestTimeoutMs`. */
const REQUEST_MS = 300_000;
/** The default of `idleTimeoutMs`. */
const IDLE_MS = 60_000;
/** Node searches for requests that take too long at least this often, in milliseconds. */
const CHECK_MS = 5000;
const MAX_MS = 2 ** 31 - 1;
const types: OptionTypes<ServerOptions> = {
  ...inferenceTypes,
  host: textOption,
  port: integerOption(0, 65_535),
  tls: tlsOption,
  shutdownDelayMs: integerOption(0, MAX_MS),
  drainMs: integerOption(0, MAX_MS),
  requestTimeoutMs: integerOption(0, MAX_MS),
  idleTimeoutMs: integerOption(0, MAX_MS),
  accessLog: booleanOption,
};
/**
 * The largest number of characters of a parameter in a path, such as a reference to a model. A
 * longer parameter fails with ERR_HTTP_PATH. References have at most 512 characters; the factor 3
 * leaves room for percent-encoding.
 */
const MAX_PARAM_CHARACTERS = 3 * 512;

/**
 * Serves the models of a registry over HTTP.
 *
 * @throws ERR_HTTP_OPTION, ERR_HTTP_TLS, and the errors of Node for an address in use.
 * @example
 * const registry = await createRegistry();
 * registry.add('sentiment', 'model.onnx');
 * const server = await startServer({ registry, port: 0 });
 * await server.close();
 * await registry.close();
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  checkKnownOptions(options, types, optionError, 'startServer');
  checkOptionTypes(options, types, optionError);
  if (options.tls !== undefined) checkTls(options.tls);
  const { host = '127.0.0.1', port = 8080, hosts = hostsOf(host), isReady = () => true } = options;
  const { shutdownDelayMs = 0, drainMs = DRAIN_MS } = options;
  let isClosing = false;
  const app = fastify(fastifyOptions(options));
  // Node would swap the two limits if the limit of the headers were longer than the limit of the
  // request.
  app.server.headersTimeout = Math.min(HEADERS_MS, app.server.requestTimeout || HEADERS_MS);
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.setNotFoundHandler(async (_, reply) => {
    const { status, body } = responseOf(httpError('ERR_HTTP_ROUTE'));
    return reply.code(status).send(body);
  });
  if (options.accessLog === true) app.addHook('onResponse', logAccess);
  let metrics = NO_METRICS;
  app.register(async (routes) => {
    metrics = await addRoutes(routes, { ...routeOptions(options), hosts, isReady: () => !isClosing && isReady() });
  });
  await app.listen({ host, port });
  // An error without a listener would end the process.
  app.server.on('error', (error) => app.log.error(error));
  const { port: taken } = app.server.address() as AddressInfo;
  const shownHost = host.includes(':') ? `[${host}]` : host;
  let closing: Promise<void> | undefined;
  return {
    url: `http${options.tls === undefined ? '' : 's'}://${shownHost}:${taken}`,
    app,
    recordCall: (call) => metrics.recordCall(call),
    close() {
      isClosing = true;
      closing ??= shutdown(app, sockets, { shutdownDelayMs, drainMs });
      return closing;
    },
  };
}

/**
 * Checks the certificate and the private key of a server.
 * @throws ERR_HTTP_TLS
 */
export function checkTls(tls: CertificatePair): void {
  checkCertificate(tls, (details) => httpError('ERR_HTTP_TLS', details));
}

/** Returns the options of the routes among the options of a server. */
function routeOptions(options: ServerOptions): InferenceOptions {
  const { host, port, tls, shutdownDelayMs, drainMs, requestTimeoutMs, idleTimeoutMs, accessLog, ...rest } = options;
  return rest;
}

function fastifyOptions(options: ServerOptions): FastifyServerOptions {
  const { maxBodyBytes = 16 * MEBIBYTE, requestTimeoutMs = REQUEST_MS, idleTimeoutMs = IDLE_MS } = options;
  // The interval at which Node searches for requests that take too long. Node's default is 30,000.
  const http = { connectionsCheckingInterval: Math.max(1, Math.min(requestTimeoutMs || CHECK_MS, CHECK_MS)) };
  const handshakeTimeout = Math.min(HEADERS_MS, requestTimeoutMs || HEADERS_MS);
  return {
    ...(options.tls === undefined
      ? { http }
      : { https: { ...http, cert: options.tls.cert, key: options.tls.key, handshakeTimeout } }),
    pluginTimeout: 0, // the routes load optional packages, which is slow on a busy machine
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: idleTimeoutMs,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: MAX_PARAM_CHARACTERS },
    requestIdHeader: 'x-request-id',
    // The ids of fastify start at 1 in each process, so several processes would use equal ids.
    ...(options.processes !== undefined && { genReqId: requestIds() }),
    clientErrorHandler: answerClientError,
    // fastify calls this for invalid paths, for which it chooses no route. Its default response
    // repeats the whole path.
    frameworkErrors(error, _, reply) {
      const { status, body } = responseOf(error);
      void (reply as FastifyReply).code(status).send(body);
    },
    logger: options.accessLog === true ? { level: 'info' } : { level: 'error', stream: process.stderr },
    childLoggerFactory: (logger, bindings, more) => requestLogger(logger, bindings, more),
    logController: new LogController({ disableRequestLogging: true }),
  };
}

/**
 * Writes one line for a request to standard output. The line omits the body and the query, which
 * can contain personal data.
 */
async function logAccess(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { method, routeOptions, ip } = request;
  const url = request.url.split('?', 1)[0];
  const { statusCode: status, elapsedTime: milliseconds } = reply;
  const version = reply.getHeader('x-model-version');
  request.log.info({ method, url, route: routeOptions.url, status, milliseconds, ip, version }, 'request');
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);

/**
 * Returns the host names that a server accepts in the header `Host`. A server on a loopback address
 * accepts only loopback names, as a protection against DNS rebinding.
 */
const hostsOf = (host: string): readonly string[] | undefined =>
  LOOPBACK.has(host) ? ['localhost', '127.0.0.1', '[::1]'] : undefined;

/**
 * Closes a server after `shutdownDelayMs`. After `drainMs`, closes all connections that are still
 * open: the connections that Node lists, and `sockets`. Node does not list a connection whose
 * client never starts the TLS handshake.
 */
async function shutdown(
  app: FastifyInstance,
  sockets: ReadonlySet<Socket>,
  { shutdownDelayMs, drainMs }: Required<Pick<ServerOptions, 'shutdownDelayMs' | 'drainMs'>>,
): Promise<void> {
  if (shutdownDelayMs > 0) await sleep(shutdownDelayMs);
  const timer = setTimeout(() => {
    app.server.closeAllConnections();
    for (const socket of sockets) socket.destroy();
  }, drainMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a function that creates request ids. They are unique among the processes of a server. */
function requestIds(): () => string {
  let count = 0;
  return () => `req-${process.pid}-${(++count).toString(36)}`;
}
