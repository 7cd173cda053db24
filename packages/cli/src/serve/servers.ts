import type { ServerProcesses } from '@brezel/http';
import type { ModelRegistry, Runtime } from 'brezel';
import { loadGrpcServer, loadServer } from './load-server.js';
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

/** The flags of `brezel serve` for both servers, and the flags for the HTTP server only. */
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
 * Starts the HTTP server and, with a port for gRPC, the gRPC server of a process. Both servers have
 * the same limits and require the same token.
 *
 * @throws the errors of `startServer` and `startGrpcServer`. After an error, nothing listens.
 */
export async function startServers(options: ServersOptions): Promise<RunningServers> {
  const { startServer } = await loadServer();
  const { registry, runtime, flags, secrets, ports, processes } = options;
  const { host, open, page, maxBody, maxRows, maxExplainedRows, accessLog } = flags;
  const { concurrency, shutdownDelayMs, drainMs } = flags;
  const shared = { registry, host, maxRows, concurrency, shutdownDelayMs, drainMs, ...secrets };
  const http = await startServer({
    ...shared,
    runtime,
    port: ports.http,
    maxBodyBytes: maxBody,
    maxExplainedRows,
    ...(open !== undefined && { open }),
    ...(accessLog && { accessLog }),
    ...(page && { page }),
    ...(processes && { processes }),
  });
  if (ports.grpc === undefined) return { addresses: { http: http.url }, close: () => http.close() };
  try {
    const { startGrpcServer } = await loadGrpcServer();
    const grpc = await startGrpcServer({
      ...shared,
      port: ports.grpc,
      maxMessageBytes: maxBody,
      openPredict: open?.includes('predict') === true,
      onCall: (call) => http.recordCall(call),
      ...(accessLog && { accessLog }),
      ...(processes && { processes }),
    });
    return {
      addresses: { http: http.url, grpc: grpc.address },
      close: () => allClosed([http.close(), grpc.close()]),
    };
  } catch (error) {
    // Without `shutdownDelayMs` and `drainMs`, because the server was never ready.
    http.app.server.closeAllConnections();
    await http.app.close();
    throw error;
  }
}

/** Waits until all servers are closed, and then throws the first error. */
async function allClosed(closing: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(closing)) if (result.status === 'rejected') throw result.reason;
}
