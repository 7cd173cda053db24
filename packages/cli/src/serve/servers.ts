import type { RunningGrpcServer } from '@brezel/grpc';
import type { RunningServer, ServerProcesses } from '@brezel/http';
import type { ClusterServer } from '@brezel/nats';
import type { ModelRegistry, Runtime } from 'brezel';
import { loadGrpcServer, loadNats, loadServer } from './load-server.js';
import type { OpenGroup } from './options.js';
import type { ServerSecrets } from './secrets.js';

/** The ports of a server. Without `grpc`, the server has no gRPC. */
export interface ServerPorts {
  readonly http: number;
  readonly grpc?: number;
}

/** The addresses of a server: a URL, and `HOST:PORT` for gRPC. */
export interface ServerAddresses {
  readonly http: string;
  readonly grpc?: string;
}

/** The flags of `brezel serve` for its servers. */
export interface ServerFlags {
  readonly host: string;
  readonly open?: OpenGroup[];
  readonly page?: true;
  readonly maxBody: number;
  readonly maxRows: number;
  readonly maxExplainedRows: number;
  readonly concurrency: number;
  readonly shutdownDelayMs: number;
  readonly drainMs: number;
  readonly accessLog?: true;
  /** The addresses of the NATS servers. */
  readonly join?: string[];
  /** The name of the server in its cluster. */
  readonly name?: string;
}

export interface ServersOptions {
  readonly registry: ModelRegistry;
  readonly runtime: Runtime;
  readonly flags: ServerFlags;
  readonly secrets: ServerSecrets;
  readonly ports: ServerPorts;
  /** The other processes of the server. Undefined if the server has one process. */
  readonly processes?: ServerProcesses;
}

/** The servers of one process. */
export interface RunningServers {
  readonly addresses: ServerAddresses;
  /** Answers the requests in flight, and closes the servers. */
  close(): Promise<void>;
}

/**
 * Starts the HTTP server of a process. With a port for gRPC, starts the gRPC server too. With
 * `join`, also answers requests over NATS. The HTTP and gRPC servers have the same limits and
 * require the same token.
 *
 * @throws the errors of `startServer`, `startGrpcServer` and `joinCluster`. After an error, nothing
 * listens.
 */
export async function startServers(options: ServersOptions): Promise<RunningServers> {
  const http = await startHttp(options);
  let cluster: ClusterServer | undefined;
  try {
    cluster = await startCluster(options);
    const grpc = await startGrpc(options, http);
    return {
      addresses: { http: http.url, ...(grpc && { grpc: grpc.address }) },
      close: () => allClosed([http.close(), cluster?.close(), grpc?.close()]),
    };
  } catch (error) {
    // Closes at once, without `shutdownDelayMs` and `drainMs`, because the server was never ready.
    http.app.server.closeAllConnections();
    await Promise.all([http.app.close(), cluster?.close()]);
    throw error;
  }
}

async function startHttp(options: ServersOptions): Promise<RunningServer> {
  const { runtime, flags, ports, processes } = options;
  const { open, page, maxBody, maxExplainedRows, accessLog } = flags;
  const { startServer } = await loadServer();
  return startServer({
    ...sharedOptions(options),
    runtime,
    port: ports.http,
    maxBodyBytes: maxBody,
    maxExplainedRows,
    ...(open !== undefined && { open }),
    ...(accessLog && { accessLog }),
    ...(page && { page }),
    ...(processes && { processes }),
  });
}

async function startGrpc(options: ServersOptions, http: RunningServer): Promise<RunningGrpcServer | undefined> {
  const { flags, ports, processes } = options;
  if (ports.grpc === undefined) return undefined;
  const { startGrpcServer } = await loadGrpcServer();
  return startGrpcServer({
    ...sharedOptions(options),
    port: ports.grpc,
    maxMessageBytes: flags.maxBody,
    openPredict: flags.open?.includes('predict') === true,
    onCall: (call) => http.recordCall(call),
    ...(flags.accessLog && { accessLog: true }),
    ...(processes && { processes }),
  });
}

async function startCluster({ registry, flags }: ServersOptions): Promise<ClusterServer | undefined> {
  const { join, name, concurrency, drainMs } = flags;
  if (join === undefined) return undefined;
  const { joinCluster } = await loadNats();
  return joinCluster({
    registry,
    servers: join,
    maxInFlight: concurrency,
    drainMs,
    ...(name !== undefined && { name }),
  });
}

const sharedOptions = ({ registry, flags, secrets }: ServersOptions) => {
  const { host, maxRows, concurrency, shutdownDelayMs, drainMs } = flags;
  return { registry, host, maxRows, concurrency, shutdownDelayMs, drainMs, ...secrets };
};

/** Waits until all servers are closed, and then throws the first error. */
async function allClosed(closing: readonly (Promise<void> | undefined)[]): Promise<void> {
  for (const result of await Promise.allSettled(closing)) if (result.status === 'rejected') throw result.reason;
}
