import { type NatsConnection, PermissionViolationError, type Status } from '@nats-io/transport-node';
import { natsError } from '../errors.js';

/** Follows the status of the connection of a server, and logs its problems. */
export class ConnectionLog {
  readonly #statuses: AsyncIterable<Status> & { stop?(): void };
  readonly #log: (error: unknown) => void;
  #isConnected: boolean;
  #isClosed = false;
  #hasLoggedPublish = false;

  constructor(connection: NatsConnection, log: (error: unknown) => void) {
    this.#log = log;
    this.#isConnected = connection.info !== undefined;
    this.#statuses = connection.status();
    void this.#follow().catch(log);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Stops the log. The end of the connection is then not logged. */
  close(): void {
    this.#isClosed = true;
    this.#isConnected = false;
    this.#statuses.stop?.();
  }

  async #follow(): Promise<void> {
    for await (const status of this.#statuses) if (!this.#isClosed) this.#handle(status);
  }

  #handle(status: Status): void {
    if (status.type === 'reconnect') {
      this.#isConnected = true;
      this.#hasLoggedPublish = false;
    } else if (status.type === 'disconnect') this.#lost(`disconnected from ${status.server}`, RECONNECTS);
    else if (status.type === 'close') {
      this.#lost('the connection was closed', 'call joinCluster again');
      this.close(); // nats-core may report afterwards that the connection is lost
    } else if (status.type === 'error') this.#onError(status.error);
  }

  #lost(received: string, hint: string): void {
    this.#isConnected = false;
    this.#log(natsError('ERR_NATS_CONNECTION', { received, hint }));
  }

  #onError(error: Error): void {
    // Clients choose the subjects of answers, so they could fill the log.
    const isPublish = error instanceof PermissionViolationError && error.operation === 'publish';
    if (isPublish && this.#hasLoggedPublish) return;
    this.#hasLoggedPublish ||= isPublish;
    this.#log(error);
  }
}

const RECONNECTS = 'check the NATS server; until the connection is restored, other servers answer';
