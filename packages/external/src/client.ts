import { constants } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { Elements } from '@brezel/oip';
import type { BackendTensor, BackendTensors } from 'brezel';
import { BatchQueue, type BatchSender } from './batch-queue.js';
import { type BatchLimits, initialState, type Observation, observed, waitMs } from './batch-size.js';
import type { Child } from './child.js';
import { isUnsent } from './connection.js';
import { ExternalError, externalError } from './errors.js';
import { type Described, Exchange } from './exchange.js';
import { type InferRequest, joinedTensors, type RowRange, writeRequest } from './messages.js';
import type { CheckedOptions } from './options.js';
import { Replica, type ReplicaStatistics } from './replica.js';
import { Replicas } from './replicas.js';
import { type ExternalPort, printSchema, type Schema } from './schema.js';

/** Sends the rows of a model to its replicas. */
export class Client {
  readonly #options: CheckedOptions;
  readonly #exchange: Exchange;
  readonly #replicas: readonly Replica[];
  readonly #group: Replicas;
  /** The queues of adaptive batching, one for each list of outputs. */
  readonly #queues = new Map<string, BatchQueue>();
  readonly #running = new Set<Promise<unknown>>();
  /** Aborts the requests for metadata when the client is closed. */
  readonly #closing = new AbortController();
  readonly #onClosed: () => void;
  #described: Described | undefined;

  /** @param onClosed called after all connections and processes have ended. */
  constructor(options: CheckedOptions, onClosed: () => void = () => {}) {
    this.#options = options;
    this.#onClosed = onClosed;
    this.#exchange = new Exchange(options);
    this.#replicas = options.addresses.map((address) => new Replica(address, options));
    const probe = async (replica: Replica) => {
      const described = await this.#describe(replica);
      // A failed replica may answer its probe before the other replicas send their first metadata.
      this.#described ??= described;
      this.#checkSame(described, replica);
    };
    this.#group = new Replicas(this.#replicas, { ...options, probe });
  }

  /**
   * Reads the metadata of all replicas. A replica that does not answer goes to the state `resting`.
   *
   * @throws ERR_EXTERNAL_UNAVAILABLE if no replica answers; ERR_EXTERNAL_MODEL if the metadata does
   * not describe rows, or if replicas differ.
   */
  async start(): Promise<Schema> {
    const describe = async (replica: Replica) => {
      try {
        return await this.#describe(replica);
      } catch (error) {
        this.#group.failed(replica, error);
        throw error;
      }
    };
    const checks = await Promise.allSettled(this.#replicas.map(describe));
    for (const check of checks)
      if (check.status === 'rejected' && codeOf(check.reason) === 'ERR_EXTERNAL_MODEL') throw check.reason;
    for (const [index, check] of checks.entries()) {
      if (check.status === 'rejected') continue;
      this.#described ??= check.value;
      this.#checkSame(check.value, this.#replicas[index]!);
    }
    if (this.#described === undefined) throw this.#group.unavailable();
    return this.#described.schema;
  }

  /** The limit of requests in flight, over all replicas. */
  get concurrency(): number {
    return this.#options.concurrency * this.#replicas.length;
  }

  stats(): { readonly waiting: number; readonly replicas: readonly ReplicaStatistics[] } {
    const gathered = Array.from(this.#queues.values(), ({ calls }) => calls);
    const isGathering = this.#options.batching !== undefined;
    const waiting = isGathering ? gathered.reduce((sum, calls) => sum + calls, 0) : this.#group.waiting;
    return { waiting, replicas: this.#replicas.map((replica) => replica.stats()) };
  }

  /**
   * Runs the model on rows, in requests of at most `maxBatch` rows. Copies the tensors before it
   * returns. If a request fails, the other requests of the call are canceled.
   */
  async infer(
    tensors: BackendTensors,
    outputs: readonly ExternalPort[],
    rows: number,
    signal: AbortSignal | undefined,
  ): Promise<BackendTensors> {
    signal?.throwIfAborted();
    const { batching } = this.#options;
    const work =
      batching === undefined
        ? this.#sendAll(tensors, outputs, rows, signal)
        : this.#gather(batching, tensors, outputs, rows, signal);
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }

  /** Rejects waiting requests, waits for requests in flight, and closes the connections. */
  async close(): Promise<void> {
    const closed = externalError('ERR_EXTERNAL_CLOSED', { at: this.#options.name });
    this.#group.close();
    for (const queue of this.#queues.values()) queue.close(closed);
    this.#closing.abort(closed);
    await Promise.allSettled([...this.#running]);
    await Promise.all(this.#replicas.map(({ connection }) => connection.close()));
    await Promise.all(this.#replicas.map(({ child }) => child?.stop()));
    this.#onClosed();
  }

  /**
   * @throws ERR_EXTERNAL_REQUEST if the JSON of the rows is longer than the longest JavaScript
   * string.
   */
  #requestOf(ranges: readonly RowRange[], outputs: readonly ExternalPort[]): InferRequest {
    const { schema, isBinary } = this.#described!;
    try {
      return writeRequest({ id: randomUUID(), inputs: schema.inputs, outputs, isBinary }, ranges);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const { name: at, maxBatch } = this.#options;
      const rows = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
      const expected = `rows whose JSON is at most ${constants.MAX_STRING_LENGTH} characters long`;
      const received = `${error.message} for ${rows} of at most ${maxBatch} rows (maxBatch)`;
      throw externalError('ERR_EXTERNAL_REQUEST', { expected, received, at, cause: error });
    }
  }

  /** Sends the rows together with the rows of other calls. */
  async #gather(
    limits: BatchLimits,
    tensors: BackendTensors,
    outputs: readonly ExternalPort[],
    rows: number,
    signal: AbortSignal | undefined,
  ): Promise<BackendTensors> {
    const { name: at, maxWaiting, clock } = this.#options;
    const key = JSON.stringify(outputs.map(({ name }) => name));
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      queue = new BatchQueue(clock, this.#sender(limits, outputs));
      this.#queues.set(key, queue);
    }
    if (queue.calls >= maxWaiting && !(queue.calls === 0 && this.#group.hasFree))
      throw externalError('ERR_EXTERNAL_OVERLOADED', { expected: `at most ${maxWaiting} (maxWaiting)`, at });
    const answers = await queue.add(copied(tensors), rows, signal);
    return joinedTensors(
      outputs,
      answers.map(({ elements }) => elements),
    );
  }

  #sender(limits: BatchLimits, outputs: readonly ExternalPort[]): BatchSender {
    const stateOf = (replica: Replica) => {
      replica.batch ??= initialState(limits);
      return replica.batch;
    };
    const group = this.#group;
    return {
      acquire: () => group.acquire(new AbortController().signal, new Set()),
      release: (replica) => group.release(replica),
      sizeOf: (replica) => stateOf(replica).size,
      waitMs: (queued) => {
        const up = this.#replicas.filter(({ state }) => state === 'up');
        return up.length === 0 ? 0 : Math.min(...up.map((replica) => waitMs(stateOf(replica), limits, queued)));
      },
      send: async (replica, parts, signal) => {
        let request: InferRequest;
        try {
          request = this.#requestOf(parts, outputs);
        } catch (error) {
          group.release(replica);
          throw error;
        }
        const tried = new Set<Replica>();
        const answer = await this.#attempt(replica, request, outputs, signal, tried);
        return answer ?? this.#send(request, outputs, signal, tried);
      },
      isOfRows: (error) => ['ERR_EXTERNAL_REPLICA', 'ERR_EXTERNAL_REQUEST'].includes(codeOf(error) ?? ''),
    };
  }

  async #sendAll(
    tensors: BackendTensors,
    outputs: readonly ExternalPort[],
    rows: number,
    signal: AbortSignal | undefined,
  ): Promise<BackendTensors> {
    const { maxBatch } = this.#options;
    const requests: InferRequest[] = [];
    for (let from = 0; from < rows; from += maxBatch)
      requests.push(this.#requestOf([{ tensors, from, to: Math.min(rows, from + maxBatch) }], outputs));
    const stop = new AbortController();
    const onAbort = () => stop.abort(signal!.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const sent = requests.map((request) => this.#send(request, outputs, stop.signal));
      return joinedTensors(outputs, await Promise.all(sent));
    } catch (error) {
      stop.abort(error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Sends one request. If the connection to a replica fails, the request goes to another replica. A
   * request that a replica may have received is not sent again.
   *
   * @param tried the replicas that could not be reached.
   */
  async #send(
    request: InferRequest,
    outputs: readonly ExternalPort[],
    signal: AbortSignal,
    tried = new Set<Replica>(),
  ): Promise<Elements[]> {
    for (;;) {
      const replica = await this.#group.acquire(signal, tried);
      const answer = await this.#attempt(replica, request, outputs, signal, tried);
      if (answer !== undefined) return answer;
    }
  }

  /**
   * Sends a request to an acquired replica, and releases the replica. If the connection fails
   * before the request is sent, adds the replica to `tried` and returns undefined.
   */
  async #attempt(
    replica: Replica,
    request: InferRequest,
    outputs: readonly ExternalPort[],
    signal: AbortSignal,
    tried: Set<Replica>,
  ): Promise<Elements[] | undefined> {
    const { batching, clock } = this.#options;
    const start = clock.now();
    const elapsedMs = () => clock.now() - start;
    const observe = () => this.#observe(replica, { rows: request.rows, latencyMs: elapsedMs() });
    replica.requests++;
    replica.rows += request.rows;
    try {
      const elements = await this.#exchange.infer(replica, request, outputs, signal);
      observe();
      this.#group.succeeded(replica);
      return elements;
    } catch (error) {
      // If every call has a deadline, late requests are canceled and never answered. Their
      // latencies must count, because otherwise the controller would never decrease the size.
      if (signal.aborted && elapsedMs() > (batching?.sloMs ?? Number.POSITIVE_INFINITY)) observe();
      if (signal.aborted) throw signal.reason;
      const known = await causeOf(replica, error);
      if (codeOf(known) === 'ERR_EXTERNAL_TIMEOUT') observe();
      this.#count(replica, known);
      if (!isUnsent((error as Error).cause)) throw known;
      tried.add(replica);
      return undefined;
    } finally {
      this.#group.release(replica);
    }
  }

  /** Passes the latency of a request to the controller of the replica. */
  #observe(replica: Replica, observation: Observation): void {
    const { batching } = this.#options;
    if (batching === undefined) return;
    replica.batch = observed(replica.batch ?? initialState(batching), batching, observation);
  }

  /** Counts an error as a failure of the replica, unless the request is the cause of the error. */
  #count(replica: Replica, error: unknown): void {
    const code = codeOf(error);
    // After an error, the server may send further bytes on the connection. These bytes must not
    // become the answer to the next request.
    if (RENEWING.has(code)) replica.connection.renew();
    // An error of the request is not a failure of the replica. The end of a process is counted when
    // the process ends.
    if (code === 'ERR_EXTERNAL_REPLICA' || code === 'ERR_EXTERNAL_PROCESS') return;
    this.#group.failed(replica, error);
    endHung(replica, error);
  }

  /**
   * Reads the metadata of a replica. If the predictor runs the replica in a child process, starts
   * this process first if necessary.
   */
  async #describe(replica: Replica): Promise<Described> {
    const { child } = replica;
    const { signal } = this.#closing;
    if (child === undefined) return this.#exchange.describe(replica, signal);
    await child.stopping;
    signal.throwIfAborted();
    if (!child.isRunning) {
      replica.connection.renew();
      child.start(() => this.#group.failed(replica, child.failure()));
    }
    try {
      await this.#untilListening(replica, child);
      return await this.#exchange.describe(replica, signal);
    } catch (error) {
      endHung(replica, error);
      throw error;
    }
  }

  /**
   * Waits until the process of a replica accepts connections.
   * @throws ERR_EXTERNAL_PROCESS if the process ends; ERR_EXTERNAL_LOST after `timeoutMs`.
   */
  async #untilListening(replica: Replica, child: Child): Promise<void> {
    const { clock, timeoutMs } = this.#options;
    const end = clock.now() + timeoutMs;
    for (;;) {
      try {
        return await this.#exchange.ping(replica, this.#closing.signal);
      } catch (error) {
        this.#closing.signal.throwIfAborted();
        if (await child.endsWithin(CONNECT_MS)) throw child.failure();
        if (clock.now() >= end || !isUnsent((error as Error).cause)) throw error;
      }
    }
  }

  #checkSame(described: Described, { label }: Replica): void {
    const [expected, received] = [print(this.#described!), print(described)];
    if (expected === received) return;
    const hint = 'all replicas of a model must have the same inputs, outputs and extensions';
    throw externalError('ERR_EXTERNAL_MODEL', { expected, received, at: label, hint });
  }
}

/** The codes of errors after which requests use new connections. */
const RENEWING: ReadonlySet<string | undefined> = new Set([
  'ERR_EXTERNAL_ANSWER',
  'ERR_EXTERNAL_REPLICA',
  'ERR_EXTERNAL_LOST',
]);
/** The milliseconds between two attempts to connect to a process that starts. */
const CONNECT_MS = 20;
/**
 * After a lost connection, the time in milliseconds to wait for the end of the process. If the
 * process ends in this time, its end is the cause.
 */
const EXIT_MS = 200;

/**
 * Returns the error about the ended process if the process ended and the connection was lost.
 * Otherwise returns the error itself.
 */
async function causeOf({ child }: Replica, error: unknown): Promise<unknown> {
  if (child === undefined || codeOf(error) !== 'ERR_EXTERNAL_LOST') return error;
  return (await child.endsWithin(EXIT_MS)) ? child.failure() : error;
}

/**
 * Ends the process of a replica that did not answer in time. The next probe then starts a new
 * process. Without this, a hung process could answer probes and still not answer requests.
 */
function endHung({ child }: Replica, error: unknown): void {
  if (codeOf(error) === 'ERR_EXTERNAL_TIMEOUT') void child?.stop();
}

/** Copies tensors, because the caller may change them while their rows wait. */
const copied = (tensors: BackendTensors): BackendTensors =>
  Object.fromEntries(
    Object.entries(tensors).map(([name, tensor]) => [name, { ...tensor, data: tensor.data.slice() } as BackendTensor]),
  );

const print = ({ schema, isBinary }: Described) => `${printSchema(schema)}${isBinary ? ', binary tensors' : ''}`;

const codeOf = (error: unknown): string | undefined => (error instanceof ExternalError ? error.code : undefined);
