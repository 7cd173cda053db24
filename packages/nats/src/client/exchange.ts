import { headers, type Msg, type NatsConnection, PermissionViolationError, type Status } from '@nats-io/transport-node';
import type { Clock } from 'brezel';
import { natsError } from '../errors.js';
import { decodeReply, type Reply } from '../protocol/messages.js';
import { controlSubject, Header, inboxOf, predictSubject } from '../protocol/subjects.js';
import { PendingRequest, type RequestLimits } from './pending-request.js';

/** The connection and the limits of an exchange. */
export interface ExchangeParts {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  readonly retryMs: number;
  /**
   * Milliseconds that a request waits for a server. If undefined, the wait depends on earlier
   * answers.
   */
  readonly waitForServerMs: number | undefined;
}

/** Milliseconds that a request waits for a server if the model has answered before. */
const ANSWERED_WAIT_MS = 5000;

/** The end of the reply subject of a status message. */
const STATUS = 's';

/** Sends requests and receives their answers, with one subscription for all requests. */
export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #inbox: string;
  readonly #pending = new Map<string, PendingRequest>();
  /** The models for which a server has answered a request. */
  readonly #answered = new Set<string>();
  readonly #statuses: AsyncIterable<Status> & { stop?(): void };
  readonly #subscription;
  #onIdle: (() => void)[] = [];
  #isConnected = true;
  #lastId = 0;
  #requests = 0;
  #resends = 0;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    const { connection } = parts;
    this.#inbox = inboxOf(connection);
    this.#statuses = connection.status();
    this.#subscription = connection.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => this.#receive(error, message),
    });
    void this.#followConnection().catch((error: unknown) => this.#endAll(error));
    void connection.closed().then((error) => this.#endAll(error ?? undefined));
  }

  get statistics() {
    return { inFlight: this.#pending.size, requests: this.#requests, resends: this.#resends };
  }

  get maxPayload(): number {
    return this.#parts.connection.info?.max_payload ?? 2 ** 20;
  }

  /**
   * Sends a request to a server of a model. Sends it again if the server does not answer and does
   * not work on it.
   *
   * @throws the error of the server, the reason of the signal, ERR_RUNTIME_DEADLINE,
   * ERR_NATS_TIMEOUT, ERR_NATS_NO_SERVER, ERR_NATS_PERMISSION, ERR_NATS_CONNECTION,
   * ERR_NATS_MESSAGE
   */
  async request(model: string, payload: Uint8Array, limits: RequestLimits): Promise<Reply> {
    const { clock, retryMs, waitForServerMs, connection } = this.#parts;
    limits.signal?.throwIfAborted();
    if (connection.isClosed()) throw natsError('ERR_NATS_CONNECTION', { received: 'a closed connection' });
    this.#requests++;
    const id = `${this.#inbox}.${++this.#lastId}`;
    const pending = new PendingRequest(model, limits, {
      clock,
      retryMs,
      send: (attempt) => {
        if (!this.#isConnected) return; // the request is sent after the next connect
        if (attempt > 1) this.#resends++;
        this.#send(predictSubject(model), payload, id, limits.end - clock.now());
      },
      control: (action) => this.#control(model, id, action),
      isConnected: () => this.#isConnected,
      waitForServerMs: () => waitForServerMs ?? (this.#answered.has(model) ? ANSWERED_WAIT_MS : 0),
    });
    this.#pending.set(id, pending);
    try {
      const reply = await pending.run();
      this.#answered.add(model);
      return reply;
    } finally {
      this.#pending.delete(id);
      if (this.#pending.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }

  /** Waits until no request is in flight. */
  async idle(): Promise<void> {
    if (this.#pending.size > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  close(): void {
    this.#statuses.stop?.();
    if (!this.#parts.connection.isClosed()) this.#subscription.unsubscribe();
  }

  #send(subject: string, payload: Uint8Array, id: string, leftMs: number): void {
    const sent = headers();
    sent.set(Header.id, id);
    sent.set(Header.deadline, `${Math.max(leftMs, Number.MIN_VALUE)}`);
    this.#parts.connection.publish(subject, payload, { reply: id, headers: sent });
  }

  #control(model: string, id: string, action: 'status' | 'cancel'): void {
    const { connection } = this.#parts;
    if (!this.#isConnected || connection.isClosed() || connection.isDraining()) return;
    const sent = headers();
    sent.set(Header.id, id);
    sent.set(Header.control, action);
    const reply = action === 'status' ? { reply: `${id}${STATUS}` } : {};
    connection.publish(controlSubject(model), new Uint8Array(0), { ...reply, headers: sent });
  }

  /** Receives a message of the inbox. An exception here would end the connection. */
  #receive(error: Error | null, message: Msg): void {
    if (error !== null) return this.#endAll(error);
    const { subject } = message;
    const isStatus = subject.endsWith(STATUS);
    const pending = this.#pending.get(isStatus ? subject.slice(0, -STATUS.length) : subject);
    if (pending === undefined) return; // an answer to a request that has ended
    try {
      const isUnanswered = message.data.length === 0 && message.headers?.code === 503;
      if (isStatus) pending.reported(!isUnanswered);
      else if (isUnanswered) pending.unanswered();
      else pending.answered(decodeReply(message.data));
    } catch (fault) {
      pending.fail(fault);
    }
  }

  async #followConnection(): Promise<void> {
    for await (const status of this.#statuses) {
      const { type } = status;
      if (status.type === 'error') this.#onError(status.error);
      if (type === 'disconnect') this.#isConnected = false;
      if (type !== 'reconnect') continue;
      this.#isConnected = true;
      for (const pending of this.#pending.values()) pending.reconnected();
    }
  }

  /** Ends the requests to a model that the account may not use. */
  #onError(error: Error): void {
    if (!(error instanceof PermissionViolationError) || error.operation !== 'publish') return;
    for (const pending of this.#pending.values())
      if (predictSubject(pending.model) === error.subject)
        pending.fail(natsError('ERR_NATS_PERMISSION', { at: JSON.stringify(pending.model), cause: error }));
  }

  #endAll(cause: unknown): void {
    const received = cause instanceof Error ? cause.message : 'the connection was closed';
    for (const pending of this.#pending.values()) pending.fail(natsError('ERR_NATS_CONNECTION', { received, cause }));
  }
}
