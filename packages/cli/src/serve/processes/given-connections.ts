import type { ChildProcess } from 'node:child_process';

/** A connection of the primary, as Node.js passes it to a worker. */
interface Connection {
  close(): void;
}

/** The messages by which `node:cluster` gives connections to workers. They are not documented. */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  /** The `seq` of the message that a worker has received. */
  readonly ack?: number;
}

/**
 * Closes connections that the primary has given to a worker, if the worker ends before it accepts
 * them. Node.js leaves these connections open, so that their clients would wait forever.
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
