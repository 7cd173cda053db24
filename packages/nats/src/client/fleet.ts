import { type Answer, type Clock, checkOptionNames, type ModelRegistry, optionNames, type Row } from 'brezel';
import { type OpenConnection, openConnection, optionError } from '../connection/connection-options.js';
import { natsError } from '../errors.js';
import { checkedFleet, type FleetOptions } from '../options.js';
import { type EncodedRows, encodeRequest, encodeRows, type Reply, type RequestHead } from '../protocol/messages.js';
import { modelIn } from '../protocol/reference.js';
import { withRowsBefore } from '../protocol/sent-errors.js';
import { type FleetDescription, signatureIn, signatureOf } from '../protocol/signature.js';
import { useOf } from '../server/registry-use.js';
import { answerStream } from './answer-stream.js';
import { type BatchPart, batchParts, sendAll, sendPart } from './batch-parts.js';
import { Exchange } from './exchange.js';
import type { RequestLimits } from './pending-request.js';

/** Options of one call of a fleet. */
export interface FleetCallOptions {
  /**
   * Milliseconds until the call fails with ERR_RUNTIME_DEADLINE, above 0. Default: `timeoutMs` of
   * `connectFleet`.
   */
  readonly deadlineMs?: number;
  /** Cancels the call, which then throws the reason of the signal. */
  readonly signal?: AbortSignal;
  /** During a canary, all calls with the same key use the same version. */
  readonly key?: string | number;
}

/** Counters of a client since it connected. */
export interface FleetStatistics {
  /** The number of messages that wait for their answers. */
  readonly inFlight: number;
  /**
   * The number of messages, without repeated attempts. A batch of more than 256 rows has several
   * messages.
   */
  readonly requests: number;
  /** How often a message was sent again because no server worked on it. */
  readonly resends: number;
}

/** The number of messages of one batch that are in flight at the same time. */
const PARTS_IN_FLIGHT = 8;

const callOptions = optionNames<FleetCallOptions>({ deadlineMs: true, signal: true, key: true });

/**
 * A client of the servers that have joined a cluster; `connectFleet` creates it. Its methods return
 * the answers of the registry of a server, and throw the same errors with the same codes.
 */
export class Fleet {
  readonly #exchange: Exchange;
  readonly #open: OpenConnection;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #registry: ModelRegistry | undefined;
  #closed: Promise<void> | undefined;

  /** Only `connectFleet` calls the constructor. */
  constructor(open: OpenConnection, { clock, timeoutMs, registry, ...limits }: ReturnType<typeof checkedFleet>) {
    this.#open = open;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#registry = registry;
    this.#exchange = new Exchange({ connection: open.connection, clock, ...limits });
  }

  /**
   * Answers one row with a model of the cluster. The row crosses the network twice, so a model that
   * is loaded in this process answers much faster.
   *
   * @param reference `name`, `name@version` or `name:alias`
   * @throws the errors of `ModelRegistry.predict`, the reason of the signal, ERR_NATS_NO_SERVER,
   * ERR_NATS_PERMISSION, ERR_NATS_TIMEOUT, ERR_NATS_CONNECTION, ERR_NATS_VALUE, ERR_NATS_TOO_LARGE
   */
  async predict(reference: string, row: Row, options: FleetCallOptions = {}): Promise<Answer> {
    const { limits, model } = this.#checked(reference, options, 'predict');
    const local = this.#local(reference, model);
    if (local !== undefined) return local.predict(reference, row as never, options);
    const head = { verb: 'predict', reference, key: options.key } as const;
    const { answers } = await this.#send(model, head, encodeRows([row], this.#exchange.maxPayload), 1, limits);
    return answers[0]!;
  }

  /**
   * Answers many rows in order, all with one version. Sends at most 256 rows in a message. The rows
   * are read before the method returns, so the caller may change them afterwards.
   *
   * @throws the errors of `predict`. An error about a row has the index of the row in the batch.
   */
  async predictBatch(reference: string, rows: readonly Row[], options: FleetCallOptions = {}): Promise<Answer[]> {
    const { limits, model } = this.#checked(reference, options, 'predictBatch');
    const local = this.#local(reference, model);
    if (local !== undefined) return local.predictBatch(reference, rows as never, options);
    const { maxPayload } = this.#exchange;
    const { key } = options;
    const sender = (named: string, signal: AbortSignal | undefined) => (part: BatchPart) => {
      const head = { verb: 'predictBatch', reference: named, key } as const;
      return this.#sendPart(model, head, part, { ...limits, signal });
    };
    const [first, ...others] = partsIn(rows, maxPayload);
    const reply = await sendPart(first!, maxPayload, sender(reference, limits.signal));
    // The other parts use the version that answered the first part, because one version answers a
    // batch.
    const answers = await sendAll(others, PARTS_IN_FLIGHT, (part, cancel) => {
      const signal = limits.signal === undefined ? cancel : AbortSignal.any([limits.signal, cancel]);
      return sendPart(part, maxPayload, sender(reply.version, signal));
    });
    return [...reply.answers, ...answers];
  }

  /**
   * Yields the answers of rows in order, all with one version, while it reads the rows. Sends at
   * most 256 rows in a message, fewer if no further row is ready, and 8 messages at the same time.
   * Reads rows only as fast as the caller reads answers. `deadlineMs` limits each message.
   *
   * @throws the errors of `predictBatch` and of `rows`
   */
  async *predictStream(
    reference: string,
    rows: Iterable<Row> | AsyncIterable<Row>,
    options: FleetCallOptions = {},
  ): AsyncGenerator<Answer> {
    this.#checked(reference, options, 'predictStream');
    const { version } = await this.describe(reference, options);
    let first = 0;
    yield* answerStream(rows, async (group, cancel) => {
      const before = first;
      first += group.length;
      const signal = options.signal === undefined ? cancel : AbortSignal.any([options.signal, cancel]);
      try {
        return await this.predictBatch(version, group, { ...options, signal });
      } catch (error) {
        throw options.signal?.aborted ? error : withRowsBefore(error, before);
      }
    });
  }

  /**
   * Returns the version that would answer a reference, and the names and types of its inputs and
   * outputs. A server loads the version if it is not loaded.
   *
   * @throws the errors of `predict`
   */
  async describe(reference: string, options: FleetCallOptions = {}): Promise<FleetDescription> {
    const { limits, model } = this.#checked(reference, options, 'describe');
    const local = this.#local(reference, model);
    if (local !== undefined) {
      const { key, ...rest } = options;
      const route = local.route(reference, key === undefined ? undefined : { key });
      return { version: route.version, ...signatureOf(await route.load(rest)) };
    }
    const head = { verb: 'describe', reference, key: options.key } as const;
    const none = encodeRows([], this.#exchange.maxPayload);
    const { version, answers } = await this.#send(model, head, none, 1, limits);
    return { version, ...signatureIn(answers[0]) };
  }

  stats(): FleetStatistics {
    return this.#exchange.statistics;
  }

  /**
   * Rejects further calls, waits for the calls in flight, and closes the connection if
   * `connectFleet` opened it. Repeated calls return the same promise.
   */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #end(): Promise<void> {
    await this.#exchange.idle();
    this.#exchange.close();
    if (this.#open.isOwned) await this.#open.connection.close();
  }

  async #sendPart(model: string, head: RequestHead, part: BatchPart, limits: RequestLimits): Promise<Reply> {
    try {
      return await this.#send(model, head, part.rows, part.count, limits);
    } catch (error) {
      throw limits.signal?.aborted === true ? error : withRowsBefore(error, part.from);
    }
  }

  async #send(
    model: string,
    head: RequestHead,
    rows: EncodedRows,
    count: number,
    limits: RequestLimits,
  ): Promise<Reply> {
    const reply = await this.#exchange.request(model, encodeRequest(head, rows), limits);
    if (reply.answers.length === count) return reply;
    throw natsError('ERR_NATS_MESSAGE', { expected: `${count} answers`, received: `${reply.answers.length}` });
  }

  /** Returns the registry of this process if it answers the reference. */
  #local(reference: string, model: string): ModelRegistry | undefined {
    const registry = this.#registry;
    if (registry === undefined || !registry.has(reference)) return undefined;
    return useOf(registry).isHidden(model) ? undefined : registry;
  }

  /** @throws ERR_NATS_CLOSED, ERR_NATS_OPTION, ERR_REGISTRY_REFERENCE */
  #checked(reference: string, options: FleetCallOptions, verb: string) {
    if (this.#closed !== undefined) throw natsError('ERR_NATS_CLOSED');
    checkOptionNames(options, callOptions, optionError, verb);
    const { deadlineMs, signal, key } = options;
    if (deadlineMs !== undefined && !(typeof deadlineMs === 'number' && deadlineMs > 0))
      throw optionError({ expected: 'deadlineMs, more than 0', received: String(deadlineMs), at: verb });
    if (signal !== undefined && !(signal instanceof AbortSignal))
      throw optionError({ expected: 'signal, an AbortSignal', received: String(signal), at: verb });
    if (key !== undefined && typeof key !== 'string' && typeof key !== 'number')
      throw optionError({ expected: 'key, a text or a number', received: typeof key, at: verb });
    const limit = Math.min(deadlineMs ?? this.#timeoutMs, MAX_MS);
    const limits: RequestLimits = { end: this.#clock.now() + limit, deadlineMs, signal };
    return { model: modelIn(reference), limits };
  }
}

/** The longest delay of a timer. */
const MAX_MS = 2 ** 31 - 1;

/** Returns the parts of a batch. A server reports the error if the rows are not a list. */
function partsIn(rows: readonly Row[], maxPayload: number): BatchPart[] {
  if (Array.isArray(rows)) return batchParts(rows, maxPayload);
  return [{ from: 0, count: 0, rows: encodeRows(rows, maxPayload) }];
}

/**
 * Connects to the servers that have joined a cluster with `joinCluster`.
 *
 * @throws ERR_NATS_OPTION, ERR_NATS_SERVER_URL, ERR_NATS_CREDENTIALS, ERR_NATS_CONNECTION
 */
export async function connectFleet(options: FleetOptions): Promise<Fleet> {
  const checked = checkedFleet(options);
  const open = await openConnection(options, checked.name);
  return new Fleet(open, checked);
}
