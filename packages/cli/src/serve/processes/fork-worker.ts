import type { ChildProcess } from 'node:child_process';
import cluster from 'node:cluster';
import { closeGivenConnections } from './given-connections.js';
import { roleEnvironment } from './role.js';

/**
 * Starts a worker of `brezel serve --processes`. If the worker ends, the primary closes everything
 * that it has for this worker: connections and shared sockets.
 */
export function forkWorker(): ChildProcess {
  const worker = cluster.fork(roleEnvironment('worker'));
  // `WorkerLink` handles the errors of the process. An error event without a listener would end the
  // primary.
  worker.on('error', () => undefined);
  // If the process ends before the primary sees the end of its channel, and a connection waits in
  // the channel, Node.js never closes the listening socket. When all workers end like this, no
  // process accepts connections on the port, and no new worker can listen on it.
  worker.once('exit', () => worker.disconnect());
  if (worker.process.pid === undefined) delete cluster.workers?.[worker.id]; // it did not start
  closeGivenConnections(worker.process);
  return worker.process;
}
