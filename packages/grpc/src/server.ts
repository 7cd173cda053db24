import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Concurrency, internalError, isHidden, unloadModel } from '@brezel/oip';
import {
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { ModelRegistry } from 'brezel';
import { accessInterceptor, type MethodGroup } from './access.js';
import { AccessLog, callObserver } from './access-log.js';
import { recordInterceptor } from './call-records.js';
import type { StreamCall, UnaryCall } from './calls.js';
import { GRPCInferenceService } from './generated/inference_pb.js';
import type { Served } from './infer.js';
import { type Listener, listen } from './listen.js';
import { unaryMethods } from './methods.js';
import { type CheckedOptions, checkedOptions, type GrpcServerOptions, type RepositoryChange } from './options.js';
import { responseOf, statusOf } from './status.js';
import { answerStream } from './stream.js';

/** A gRPC server that listens. */
export interface RunningGrpcServer {
  /** `HOST:PORT`, as gRPC clients expect it. */
  readonly address: string;
  /**
   * Answers ServerReady with false immediately. After `shutdownDelayMs`, stops accepting calls and
   * waits for the calls in flight. Ends the calls that are still in flight after `drainMs`. It does
   * not close the registry. Repeated calls return the same promise.
   */
  close(): Promise<void>;
}

/**
 * After `keepalive_time_ms` without traffic on a connection, the server sends a ping. If no reply
 * arrives within `keepalive_timeout_ms`, the server closes the connection.
 */
const KEEPALIVE = { 'grpc.keepalive_time_ms': 60_000, 'grpc.keepalive_timeout_ms': 20_000 };

/**
 * Serves the models of a registry over gRPC: the Open Inference Protocol v2, with the streaming and
 * model repository extensions of Triton.
 *
 * @throws ERR_GRPC_OPTION, ERR_GRPC_TLS, ERR_GRPC_ADDRESS
 * @example
 * const registry = await createRegistry();
 * registry.add('sentiment', 'model.onnx');
 * const server = await startGrpcServer({ registry, port: 0 });
 * await server.close();
 * await registry.close();
 */
export async function startGrpcServer(options: GrpcServerOptions): Promise<RunningGrpcServer> {
  const checked = checkedOptions(options);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // each open stream listens to it
  let isStopping = false;
  const served = servedBy(checked, () => !isStopping && checked.isReady());
  const accessLog = checked.accessLog ? new AccessLog(checked.logError) : undefined;
  const server = new Server({
    'grpc.max_receive_message_length': checked.maxMessageBytes,
    'grpc.max_connection_idle_ms': checked.idleTimeoutMs,
    'grpc.max_concurrent_streams': checked.maxStreams,
    ...KEEPALIVE,
    // The first interceptor of the list is the nearest to the client.
    interceptors: [
      recordInterceptor(served.records, callObserver(checked, accessLog)),
      accessInterceptor(groupOf, checked, served),
    ],
  });
  server.addService(definition, implementation(served, closing.signal));
  // The listener decrypts TLS, so grpc-js receives plain connections.
  const connections = server.createConnectionInjector(ServerCredentials.createInsecure());
  const listener = await listen(checked, (socket) => connections.injectConnection(socket)).catch((error) => {
    accessLog?.close();
    server.forceShutdown(); // otherwise, grpc-js keeps references to the server
    throw error;
  });
  const { host } = checked;
  let closed: Promise<void> | undefined;
  return {
    address: `${host.includes(':') ? `[${host}]` : host}:${listener.port}`,
    close() {
      isStopping = true;
      closed ??= shutdown(server, listener, closing, checked).finally(() => accessLog?.close());
      return closed;
    },
  };
}

function servedBy(options: CheckedOptions, isReady: () => boolean): Served {
  const { registry, maxRows, concurrency, logError, processes } = options;
  return {
    registry,
    maxRows,
    concurrency: new Concurrency(concurrency),
    records: new WeakMap(),
    isReady,
    change: (change) => (processes === undefined ? changeHere(registry, change) : processes.change(change)),
    describe(error) {
      const response = responseOf(error);
      if (isHidden(response)) logError(error);
      return response;
    },
  };
}

/**
 * Loads or unloads a model in this process.
 *
 * @throws a ProtocolError of kind IN_USE, and the errors of a load.
 */
async function changeHere(registry: ModelRegistry, change: RepositoryChange): Promise<void> {
  if (change.action === 'load') await registry.load(change.reference);
  else unloadModel(registry, change.name);
}

const same = (bytes: Buffer) => bytes;
const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * The methods of the service for grpc-js. grpc-js passes messages as bytes, and this package
 * decodes them. Therefore the error for a malformed message has an error code.
 */
const definition: ServiceDefinition = Object.fromEntries(
  GRPCInferenceService.methods.map(({ name, methodKind }) => {
    const isStream = methodKind === 'bidi_streaming';
    return [
      name,
      {
        path: pathOf(name),
        requestStream: isStream,
        responseStream: isStream,
        requestSerialize: same,
        requestDeserialize: same,
        responseSerialize: asBuffer,
        responseDeserialize: same,
      },
    ];
  }),
);

function pathOf(method: string): string {
  return `/${GRPCInferenceService.typeName}/${method}`;
}

const groups: ReadonlyMap<string, MethodGroup> = new Map(unaryMethods.map(({ name, group }) => [pathOf(name), group]));
const groupOf = (path: string): MethodGroup => groups.get(path) ?? 'predict';

function implementation(served: Served, closing: AbortSignal): UntypedServiceImplementation {
  const handlers = unaryMethods.map(({ name, handle }) => [
    name,
    (call: UnaryCall, respond: sendUnaryData<Uint8Array>) => {
      handle(call, served)
        .then((bytes) => respond(null, bytes))
        .catch((error) => respond(statusOf(served.describe(error))))
        // Answers also if `describe` throws. An uncaught error would end the process.
        .catch(() => respond(statusOf(internalError())))
        .catch(console.error);
    },
  ]);
  return {
    ...Object.fromEntries(handlers),
    ModelStreamInfer: (call: StreamCall) => void answerStream(call, served, closing).catch(console.error),
  };
}

/**
 * Closes a server after `shutdownDelayMs`. After `drainMs`, it ends the calls in flight and their
 * connections.
 */
async function shutdown(
  server: Server,
  listener: Listener,
  closing: AbortController,
  { shutdownDelayMs, drainMs }: Pick<CheckedOptions, 'shutdownDelayMs' | 'drainMs'>,
): Promise<void> {
  if (shutdownDelayMs > 0) await sleep(shutdownDelayMs);
  closing.abort();
  listener.stop();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, drainMs);
  });
  const answered = new Promise<void>((resolve) => {
    server.tryShutdown(() => resolve());
  });
  await Promise.race([answered, late]);
  clearTimeout(timer);
  server.forceShutdown();
  await listener.close();
}
