import type { EventEmitter } from 'node:events';
import type { NatsConnection } from '@nats-io/transport-node';

/** The parts of a connection that are not in its type. */
interface Internals {
  readonly protocol?: { readonly transport?: { readonly socket?: EventEmitter } };
}

const ignore = () => {};

/** The connections that have a guard. A server and a client may use one connection. */
const guarded = new WeakSet<NatsConnection>();

/**
 * Prevents a lost connection from ending the process. @nats-io/transport-node 3.3.1 removes the
 * listeners of a socket that the NATS server has closed. If a message was written shortly before,
 * the socket then emits an error without a listener, which ends the process. The guard adds a
 * listener again, for the present socket and after each reconnect.
 */
export async function guardSockets(connection: NatsConnection): Promise<void> {
  if (guarded.has(connection)) return;
  guarded.add(connection);
  guard(connection);
  for await (const { type } of connection.status()) if (type === 'reconnect') guard(connection);
}

function guard(connection: NatsConnection): void {
  const socket = (connection as unknown as Internals).protocol?.transport?.socket;
  if (socket === undefined) return;
  const removeAll = socket.removeAllListeners.bind(socket);
  socket.removeAllListeners = (...events) => {
    removeAll(...events);
    return socket.on('error', ignore);
  };
}
