import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { grpcError } from './errors.js';
import type { CheckedOptions } from './options.js';

/** The TCP ports of a gRPC server. */
export interface Listener {
  readonly port: number;
  /** Stops accepting connections. Open connections continue. */
  stop(): void;
  /** Closes all connections. Resolves when no connection and no port is open. */
  close(): Promise<void>;
}

type ListenOptions = Pick<CheckedOptions, 'host' | 'port' | 'tls' | 'requestTimeoutMs' | 'logError'>;

/** A connection whose TLS handshake has not ended after this many milliseconds is closed. */
const HANDSHAKE_MS = 20_000;

/**
 * Listens on each available address of a host, and passes each connection to `accept` after its TLS
 * handshake. The listener of grpc-js is not used, because it cannot close a connection whose client
 * never starts the handshake.
 *
 * @throws ERR_GRPC_ADDRESS
 */
export async function listen(options: ListenOptions, accept: (socket: Socket) => void): Promise<Listener> {
  const { host, port, logError } = options;
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  const stop = () => {
    for (const server of servers) if (server.listening) server.close();
  };
  const close = async () => {
    stop();
    const closed = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
  };
  const fail = (cause: Error) =>
    grpcError('ERR_GRPC_ADDRESS', { received: cause.message, at: `${host}:${port}`, cause });
  const addresses = await addressesOf(host).catch((cause) => {
    throw fail(cause);
  });
  let unavailable: Error | undefined;
  for (const { address } of addresses) {
    const server = tracked(serverOf(options, accept), sockets);
    try {
      await listening(server, servers.length === 0 ? port : portOf(servers[0]!), address);
    } catch (cause) {
      unavailable = cause as Error;
      if (UNAVAILABLE.has((cause as NodeJS.ErrnoException).code)) continue;
      await close();
      throw fail(unavailable);
    }
    server.on('error', logError); // an error without a listener would end the process
    servers.push(server);
  }
  if (servers.length === 0) throw fail(unavailable!);
  return { port: portOf(servers[0]!), stop, close };
}

/** The errors of an address that the machine does not have: ::1 on a machine without IPv6. */
const UNAVAILABLE: ReadonlySet<string | undefined> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * For localhost, returns its IPv4 and IPv6 addresses, because a server listens on both. Returns any
 * other host unchanged.
 */
const addressesOf = async (host: string): Promise<readonly { readonly address: string }[]> =>
  host === 'localhost' ? lookup(host, { all: true }) : [{ address: host }];

const portOf = (server: Server) => (server.address() as AddressInfo).port;

function serverOf({ tls, requestTimeoutMs }: ListenOptions, accept: (socket: Socket) => void): Server {
  if (tls === undefined) return createPlainServer({ noDelay: true }, accept);
  const handshakeTimeout = Math.min(HANDSHAKE_MS, requestTimeoutMs || HANDSHAKE_MS);
  const options = { cert: tls.cert, key: tls.key, ALPNProtocols: ['h2'], handshakeTimeout, noDelay: true };
  const server = createTlsServer(options, accept);
  // Node leaves a connection open after a failed handshake.
  return server.on('tlsClientError', (_, socket) => socket.destroy());
}

/** Keeps the open connections of a server in a set, also during the TLS handshake. */
function tracked(server: Server, sockets: Set<Socket>): Server {
  return server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
}

async function listening(server: Server, port: number, host: string): Promise<void> {
  server.listen({ host, port });
  await once(server, 'listening');
}
