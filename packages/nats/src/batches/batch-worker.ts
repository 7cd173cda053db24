import { type Consumer, type JetStreamClient, JetStreamError, type JsMsg, jetstream } from '@nats-io/jetstream';
import { errors, headers, type NatsConnection, type Status, type Subscription } from '@nats-io/transport-node';
import { BrezelError, type Clock, type ClockTimer, type ModelRegistry } from 'brezel';
import { payloadLimitOf } from '../connection/payload-limit.js';
import { isCausedBy, natsError } from '../errors.js';
import { decodeRequest, encodeError, encodeReply } from '../protocol/messages.js';
import { modelIn } from '../protocol/reference.js';
import { sentError } from '../protocol/sent-errors.js';
import {
  ACK_WAIT_MS,
  added,
  answersSubject,
  BatchHeader,
  chunkIn,
  consumerOf,
  isMissing,
  ROWS,
  WAKE,
} from './batch-streams.js';

/** The parts of a server that answer chunks of batches. */
export interface BatchWorkerParts {
  readonly registry: ModelRegistry;
  readonly connection: NatsConnection;
  readonly clock: Clock;
  readonly logError: (error: unknown) => void;
  /** Whether this server receives requests to a model. */
  readonly answers: (model: string) => boolean;
}

/** The number of chunks that a server fetches from the queue at once. */
const FETCHED = 8;
/** The number of chunks of a model that a server answers at the same time. */
const AT_ONCE = 2;
/** Milliseconds that a server waits for chunks while other servers work on the last of them. */
const WAIT_MS = 2000;
/** Milliseconds until a chunk that a server could not answer is sent again. */
const RETRY_MS = 1000;
/** After this many attempts, the error of a server is the answer. */
const ATTEMPTS = 20;
/** Statuses of errors that every server would answer. */
const FINAL = new Set([400, 413, 422]);

/**
 * Answers the chunks of batches from the work queue of JetStream. A chunk leaves the queue after
 * its answers are stored, so a server may end at any time: after 10 s without a sign of progress,
 * the chunk goes to another server. Answers are stored once, even if two servers computed them.
 */
export class BatchWorker {
  readonly #parts: BatchWorkerParts;
  readonly #client: JetStreamClient;
  readonly #maxPayload: () => number;
  readonly #models = new Map<string, Promise<void>>();
  /** Models with new chunks that were reported while the server looked for chunks of the model. */
  readonly #reported = new Set<string>();
  readonly #statuses: AsyncIterable<Status> & { stop?(): void };
  readonly #stops = new Set<() => void>();
  #subscription: Subscription | undefined;
  #isClosed = false;

  constructor(parts: BatchWorkerParts) {
    this.#parts = parts;
    this.#client = jetstream(parts.connection);
    this.#maxPayload = payloadLimitOf(parts.connection);
    this.#statuses = parts.connection.status();
  }

  /** Looks for chunks of the models, and waits for messages of clients about new chunks. */
  start(): void {
    this.#subscription ??= this.#parts.connection.subscribe(WAKE, {
      callback: (error, message) => {
        if (error === null) this.wake(Buffer.from(message.data).toString());
      },
    });
    void this.#wakeAfterReconnect();
    for (const model of this.#parts.registry.names()) this.wake(model);
  }

  /** Looks for chunks of a model, unless the server does so already or does not serve the model. */
  wake(model: string): void {
    if (this.#isClosed || this.#subscription === undefined || !this.#parts.answers(model)) return;
    // The look in progress may have found an empty queue just before the new chunk.
    if (this.#models.has(model)) return void this.#reported.add(model);
    const work = this.#work(model).finally(() => {
      this.#models.delete(model);
      if (this.#reported.delete(model)) this.wake(model);
    });
    this.#models.set(model, work);
  }

  /** Ends after the chunks in flight. Other servers get the chunks that are not answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#subscription?.unsubscribe();
    this.#statuses.stop?.();
    for (const stop of this.#stops) stop();
    await Promise.all(this.#models.values());
  }

  async #wakeAfterReconnect(): Promise<void> {
    try {
      for await (const { type } of this.#statuses)
        if (type === 'reconnect') for (const model of this.#parts.registry.names()) this.wake(model);
    } catch {
      // the connection is closed
    }
  }

  /** Answers the chunks of a model, until the queue has none. */
  async #work(model: string): Promise<void> {
    while (!this.#isClosed && this.#parts.answers(model))
      try {
        const consumer = await this.#client.consumers.get(ROWS, consumerOf(model));
        if (!(await this.#drain(consumer, model))) return;
      } catch (error) {
        // Without JetStream, a server has nothing to answer. The connection log reports lost
        // connections and missing permissions.
        if (isMissing(error) || this.#parts.connection.isClosed() || isUnavailable(error)) return;
        this.#parts.logError(error);
        await this.#pause(RETRY_MS);
      }
  }

  /** Answers the chunks that the queue has now. Returns whether the queue may have more. */
  async #drain(consumer: Consumer, model: string): Promise<boolean> {
    const messages = await consumer.fetch({ max_messages: FETCHED, expires: WAIT_MS });
    const stop = () => messages.stop();
    this.#stops.add(stop);
    const running = new Set<Promise<void>>();
    let received = 0;
    try {
      for await (const message of messages) {
        received++;
        const answered = this.#process(message, model).finally(() => running.delete(answered));
        running.add(answered);
        if (running.size === AT_ONCE) await Promise.race(running);
      }
    } finally {
      await Promise.all(running);
      this.#stops.delete(stop);
    }
    if (received > 0) return true;
    const { num_pending, num_ack_pending } = await consumer.info();
    return num_pending + num_ack_pending > 0;
  }

  /** Answers a chunk, stores its answers, and removes it from the queue. Never throws. */
  async #process(message: JsMsg, model: string): Promise<void> {
    const { clock, logError, answers } = this.#parts;
    if (this.#isClosed || !answers(model)) return message.nak();
    // Until the chunk is answered, the server reports that it works on it.
    let timer: ClockTimer;
    const report = () => {
      message.working();
      timer = clock.setTimeout(report, ACK_WAIT_MS / 3);
    };
    timer = clock.setTimeout(report, ACK_WAIT_MS / 3);
    try {
      const answer = await this.#answer(message, model);
      if (answer === undefined) return message.nak(RETRY_MS);
      await this.#store(message, answer);
      message.ack();
    } catch (error) {
      // The chunk is sent again after its time, because it was not acknowledged.
      if (!this.#parts.connection.isClosed()) logError(error);
    } finally {
      timer.cancel();
    }
  }

  /** Returns the answers of a chunk or its error. Undefined if another attempt may succeed. */
  async #answer(message: JsMsg, model: string): Promise<Uint8Array | undefined> {
    try {
      const { verb, reference, rows } = decodeRequest(message.data);
      if (verb !== 'predictBatch' || modelIn(reference) !== model)
        throw natsError('ERR_NATS_MESSAGE', { expected: `rows for ${JSON.stringify(model)}`, received: 'others' });
      const route = this.#parts.registry.route(reference);
      const answers = await route.predictBatch(rows);
      return encodeReply({ version: route.version, answers }, this.#maxPayload());
    } catch (error) {
      const isFinal = error instanceof BrezelError && FINAL.has(error.statusCode);
      if (!isFinal && message.info.deliveryCount < ATTEMPTS) return undefined;
      if (error instanceof BrezelError) return encodeError(sentError(error));
      this.#parts.logError(error);
      return encodeError(sentError(natsError('ERR_NATS_FAILED')));
    }
  }

  /** Stores the answers of a chunk, unless another server has stored them. */
  async #store(message: JsMsg, answer: Uint8Array): Promise<void> {
    const key = message.subject.split('.').at(-2)!;
    const sent = headers();
    for (const name of Object.values(BatchHeader)) sent.set(name, message.headers?.get(name) ?? '');
    await added(this.#client, answersSubject(key, chunkIn(message.subject)), answer, { headers: sent });
  }

  async #pause(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#parts.clock.setTimeout(resolve, milliseconds);
      this.#stops.add(() => {
        timer.cancel();
        resolve();
      });
    });
  }
}

/** Whether JetStream is off, the account may not use it, or the connection is lost. */
const isUnavailable = (error: unknown): boolean =>
  (error as Error | undefined)?.name === 'JetStreamNotEnabled' || isCausedBy(error, ...UNAVAILABLE);

const UNAVAILABLE = [
  JetStreamError,
  errors.TimeoutError,
  errors.NoRespondersError,
  errors.ClosedConnectionError,
  errors.PermissionViolationError,
];
