import { systemClock } from 'brezel';
import { BatchWorker } from '../batches/batch-worker.js';
import { checkOpen, connectionError } from '../connection/connection-errors.js';
import { type OpenConnection, openConnection } from '../connection/connection-options.js';
import { natsError } from '../errors.js';
import { type CheckedCluster, type ClusterOptions, checkedCluster } from '../options.js';
import { ConnectionLog } from './connection-log.js';
import { ModelSubscriptions } from './model-subscriptions.js';
import { RequestHandler } from './request-handler.js';

/** The state of a server of a cluster, and its counters since it joined. */
export interface ClusterStatistics {
  readonly name: string;
  /** The names of the models whose requests the server receives. */
  readonly models: readonly string[];
  /** The number of requests in flight. */
  readonly inFlight: number;
  /** The number of answered requests, including errors. */
  readonly requests: number;
  /** The number of requests that were answered with an error. */
  readonly errors: number;
  /** Whether the server is connected to NATS. Without a connection, it receives no requests. */
  readonly isConnected: boolean;
}

/** A server that has joined a cluster. */
export interface ClusterServer {
  readonly name: string;
  stats(): ClusterStatistics;
  /**
   * Waits until the NATS server has received the subscriptions for all models that the registry has
   * now. Call it after `registry.add`, if a client must find the model immediately.
   *
   * @throws ERR_NATS_CONNECTION
   */
  synchronized(): Promise<void>;
  /**
   * Stops receiving requests, answers the requests that NATS has already delivered, and closes the
   * connection if `joinCluster` opened it. Waits for at most `drainMs` milliseconds; the clients of
   * the other requests then send them to another server. Does not close the registry. Repeated
   * calls return the same promise.
   */
  close(): Promise<void>;
}

/**
 * Answers predictions that clients send over NATS with the models of a registry. All servers that
 * have joined share the requests to a model. Models that are added to the registry later, or
 * removed from it, are added to and removed from the cluster too.
 *
 * @throws ERR_NATS_OPTION, ERR_NATS_SERVER_URL, ERR_NATS_CREDENTIALS, ERR_NATS_CONNECTION
 */
export async function joinCluster(options: ClusterOptions): Promise<ClusterServer> {
  const checked = checkedCluster(options);
  const open = await openConnection(options, checked.name);
  checkOpen(open.connection);
  const server = new JoinedServer(open, checked);
  try {
    await server.synchronized();
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}

class JoinedServer implements ClusterServer {
  readonly name: string;
  readonly #open: OpenConnection;
  readonly #drainMs: number;
  readonly #handler: RequestHandler;
  readonly #subscriptions: ModelSubscriptions;
  readonly #log: ConnectionLog;
  readonly #batches: BatchWorker;
  #closed: Promise<void> | undefined;

  constructor(open: OpenConnection, { registry, name, maxInFlight, logError, drainMs }: CheckedCluster) {
    const { connection } = open;
    this.name = name;
    this.#open = open;
    this.#drainMs = drainMs;
    this.#log = new ConnectionLog(connection, logError);
    this.#handler = new RequestHandler({ registry, connection, name, maxInFlight, logError });
    this.#subscriptions = new ModelSubscriptions(registry, connection, this.#handler, logError, (model) =>
      this.#batches.wake(model),
    );
    this.#batches = new BatchWorker({
      registry,
      connection,
      clock: systemClock,
      logError,
      answers: (model) => this.#subscriptions.answers(model),
    });
  }

  stats(): ClusterStatistics {
    const { isConnected } = this.#log;
    return { name: this.name, models: this.#subscriptions.models, ...this.#handler.statistics, isConnected };
  }

  async synchronized(): Promise<void> {
    if (this.#closed !== undefined) throw natsError('ERR_NATS_CONNECTION', { received: 'a closed server' });
    checkOpen(this.#open.connection);
    try {
      this.#subscriptions.follow();
      await this.#open.connection.flush();
      this.#subscriptions.attach();
      this.#batches.start();
    } catch (error) {
      throw connectionError(error);
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    const { connection, isOwned } = this.#open;
    const ended = Promise.all([this.#subscriptions.close(), this.#batches.close()]);
    const drained = ended.then(() => connection.flush());
    await within(this.#drainMs, drained);
    this.#handler.cancel();
    this.#subscriptions.stop();
    this.#log.close();
    if (isOwned) await connection.close();
  }
}

/** Waits until a promise is settled, but at most for some milliseconds. */
async function within(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise.catch(() => {}), late]);
  clearTimeout(timer);
}
