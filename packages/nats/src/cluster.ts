import { openConnection } from './connection-options.js';
import { ModelSubscriptions } from './model-subscriptions.js';
import { type ClusterOptions, checkedCluster } from './options.js';
import { RequestHandler } from './request-handler.js';

/** What a server of a cluster has done since it joined. */
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
}

/** A server that has joined a cluster. */
export interface ClusterServer {
  readonly name: string;
  stats(): ClusterStatistics;
  /**
   * Waits until the NATS server has received the subscriptions for all models that the registry has
   * now. Call it after `registry.add`, if a client must find the model immediately.
   */
  synchronized(): Promise<void>;
  /**
   * Stops receiving requests, answers the requests that NATS has already delivered, and closes the
   * connection if `joinCluster` opened it. No request is lost. Does not close the registry.
   * Repeated calls return the same promise.
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
  const { registry, name, maxInFlight, logError } = checkedCluster(options);
  const { connection, isOwned } = await openConnection(options, name);
  const handler = new RequestHandler({ registry, connection, name, maxInFlight, logError });
  const subscriptions = new ModelSubscriptions(registry, connection, handler, logError);
  subscriptions.follow();
  const close = async () => {
    await subscriptions.drain();
    await handler.idle();
    await connection.flush().catch(() => {}); // without a connection, nothing is left to send
    if (isOwned) await connection.close();
  };
  let closed: Promise<void> | undefined;
  const server: ClusterServer = {
    name,
    stats: () => ({ name, models: subscriptions.models, ...handler.statistics }),
    synchronized: () => subscriptions.synchronized(),
    close() {
      closed ??= close();
      return closed;
    },
  };
  try {
    await connection.flush();
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}
