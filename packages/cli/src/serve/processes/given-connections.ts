import type { ChildProcess } from 'node:child_process';

/** A connection of the primary, as Node.js passes it to a worker. */
interface Connection {
  close(): void;
}

/**
 * A message of `node:cluster` that passes a connection to a worker, or acknowledges such a message.
 * Node.js does not document these messages.
 */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  /** The field `seq` of the message that the worker acknowledges. */
  readonly ack?: number;
}

/**
 * If a worker ends, closes the connections that the primary has sent to the worker, but that the
 * worker has not accepted. Node.js leaves these connections open, so their clients would wait
 * forever.
 */
export function closeGivenConnections(worker: ChildProcess): void {
  if (worker.pid === undefined) return; // the process did not start, so it has no channel
  const given = new Map<number, Connection>();
  let hasEnded = false;
  const send = worker.send.bind(worker) as (...given: unknown[]) => boolean;
  worker.send = (message: ClusterMessage, ...others: unknown[]) => {
    const [connection] = others as [Connection | undefined];
    if (message.act === 'newconn' && message.seq !== undefined && connection) {
      if (hasEnded) {
        connection.close();
        return false;
      }
      given.set(message.seq, connection);
    }
    return send(message, ...others);
  };
  worker.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) given.delete(ack);
  });
  worker.on('exit', () => {
    hasEnded = true;
    for (const connection of given.values()) connection.close();
  });
}
