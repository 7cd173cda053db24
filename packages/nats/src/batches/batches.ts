import { headers } from '@nats-io/transport-node';
import { type Answer, BrezelError, type Clock, type ClockTimer, type Row } from 'brezel';
import { sha256Of } from '../artifacts/recipe.js';
import { batchParts } from '../client/batch-parts.js';
import { Fleet } from '../client/fleet.js';
import { type OpenConnection, openConnection } from '../connection/connection-options.js';
import { payloadLimitOf } from '../connection/payload-limit.js';
import { type BatchOptions, checkedBatches } from '../options.js';
import { decodeReply, encodeRequest, MAX_ROWS } from '../protocol/messages.js';
import { modelIn } from '../protocol/reference.js';
import { withRowsBefore } from '../protocol/sent-errors.js';
import type { FleetDescription } from '../protocol/signature.js';
import { type BatchEntry, type BatchSize, batchError, checkId, decodeBatch } from './batch-entry.js';
import {
  ANSWERS,
  answersSubject,
  BatchHeader,
  BatchStreams,
  chunkIn,
  guarded,
  ROWS,
  rowsSubject,
  WAKE,
} from './batch-streams.js';
import { OrderedAnswers } from './ordered-answers.js';

/** The state of a batch. */
export interface BatchStatus {
  readonly id: string;
  /** The version that answers all rows, as `name@version`. */
  readonly version: string;
  /**
   * `submitting` until all rows are in the queue, then `running`, and `answered` when all answers
   * are stored.
   */
  readonly state: 'submitting' | 'running' | 'answered' | 'cancelled';
  /** The number of rows. Undefined while the batch is submitted. */
  readonly rows?: number;
  /** The number of chunks of at most 256 rows. Undefined while the batch is submitted. */
  readonly chunks?: number;
  /** The number of chunks whose answers are stored. */
  readonly answeredChunks: number;
}

/** Options of `Batches.submit`. */
export interface SubmitOptions {
  /**
   * The id of the batch: up to 64 letters, digits, `-` and `_`. To continue a batch after an error,
   * submit the same rows with the same id. Default: a random id.
   */
  readonly id?: string;
  /** Stops the submission. The batch stays in the queue. */
  readonly signal?: AbortSignal;
  /** Called after each group of 256 rows with the number of submitted rows. */
  readonly onProgress?: (rows: number) => void;
}

/** A chunk of rows of a batch. */
interface Chunk {
  readonly batch: BatchEntry;
  readonly model: string;
  readonly index: number;
  readonly firstRow: number;
  readonly request: Uint8Array;
}

/** The number of chunks that are sent at the same time. */
const SENT_AT_ONCE = 32;
/** Milliseconds between two messages that remind the servers of a waiting batch. */
const WAKE_MS = 2000;

/**
 * Offline batches: rows in a work queue of JetStream, which the servers of a model answer;
 * `openBatches` creates it. Clients and servers may end at any time. Every row is answered once,
 * and the answers have the order of the rows.
 */
export class Batches {
  readonly #open: OpenConnection;
  readonly #streams: BatchStreams;
  readonly #fleet: Fleet;
  readonly #clock: Clock;
  readonly #maxPayload: () => number;

  /** Only `openBatches` calls the constructor. */
  constructor(open: OpenConnection, streams: BatchStreams, { clock, timeoutMs }: ReturnType<typeof checkedBatches>) {
    this.#open = open;
    this.#streams = streams;
    this.#clock = clock;
    this.#maxPayload = payloadLimitOf(open.connection);
    const { connection } = open;
    this.#fleet = new Fleet(
      { connection, isOwned: false },
      { name: '', clock, timeoutMs, retryMs: 250, waitForServerMs: undefined, registry: undefined },
    );
  }

  /**
   * Returns the version that would answer a batch, and its inputs and outputs.
   * @throws the errors of `Fleet.describe`
   */
  describe(reference: string): Promise<FleetDescription> {
    return this.#fleet.describe(reference);
  }

  /**
   * Puts rows into the queue of a model, and returns the id of the batch. One version answers all
   * rows. If a batch with this id exists, only the chunks that have no answers are added again.
   *
   * @param reference `name`, `name@version` or `name:alias`
   * @throws ERR_NATS_BATCH if the id belongs to a cancelled batch or to a batch of another model;
   * ERR_NATS_STORE, ERR_NATS_VALUE, ERR_NATS_TOO_LARGE, the errors of `Fleet.describe` and of
   * `rows`
   */
  async submit(
    reference: string,
    rows: Iterable<Row> | AsyncIterable<Row>,
    { id = crypto.randomUUID(), signal, onProgress }: SubmitOptions = {},
  ): Promise<BatchStatus> {
    checkId(id);
    const model = modelIn(reference);
    const entry = await this.#entryFor(id, reference);
    await this.#streams.addConsumer(model);
    const answered = await this.#streams.answered(entry);
    const sending = new Set<Promise<void>>();
    let [count, chunks] = [0, 0];
    try {
      for await (const group of groupsOf(rows)) {
        for (const part of batchParts(group, this.#maxPayload())) {
          signal?.throwIfAborted();
          const request = encodeRequest({ verb: 'predictBatch', reference: entry.version }, part.rows);
          const chunk = { batch: entry, model, index: chunks++, firstRow: count + part.from, request };
          const work = answered.has(chunk.index) ? this.#checkSame(chunk) : this.#send(chunk);
          const sent = work.finally(() => sending.delete(sent));
          sent.catch(() => {}); // the loop below reports it
          sending.add(sent);
          if (sending.size >= SENT_AT_ONCE) await Promise.race(sending);
        }
        if (count === 0) this.#wake(model);
        count += group.length;
        onProgress?.(count);
      }
    } finally {
      await Promise.all(sending);
    }
    const size = await this.#seal(id, { rows: count, chunks });
    this.#wake(model);
    return { id, version: entry.version, ...size, ...stateOf({ ...entry, size }, answered.size) };
  }

  /**
   * Yields the answers of a batch in the order of its rows, up to 256 at a time. Waits for answers
   * that are not stored yet, also while the batch is submitted. The answers stay stored: another
   * call yields them again.
   *
   * @throws ERR_NATS_BATCH for an unknown or cancelled batch, the error of the first invalid row,
   * the reason of the signal, ERR_NATS_STORE
   */
  async *answers(id: string, { signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<Answer[]> {
    checkId(id);
    const batch = await this.#known(id);
    const collector = new AnswerCollector(this.#streams, batch, signal);
    const model = modelIn(batch.version);
    let timer: ClockTimer | undefined;
    // A server that has started after the submission may not know that a batch waits.
    const remind = () => {
      this.#wake(model);
      timer = this.#clock.setTimeout(remind, WAKE_MS);
    };
    remind();
    try {
      yield* collector.answers();
    } finally {
      timer!.cancel();
      await collector.close();
    }
  }

  /** @throws ERR_NATS_BATCH for an unknown batch, ERR_NATS_STORE */
  async status(id: string): Promise<BatchStatus> {
    return this.#statusOf(await this.#known(checkId(id)));
  }

  /** Returns the batches of the last seven days that were not removed. */
  async list(): Promise<BatchStatus[]> {
    const entries = await this.#streams.entries();
    return Promise.all(entries.map((entry) => this.#statusOf(entry)));
  }

  /**
   * Cancels a batch: removes its rows and answers. Servers may still answer the chunks in flight;
   * JetStream removes these answers after seven days.
   *
   * @throws ERR_NATS_BATCH for an unknown batch, ERR_NATS_STORE
   */
  async cancel(id: string): Promise<void> {
    checkId(id);
    const cancelled = await this.#streams.change(id, (entry) => ({ ...entry, isCancelled: true }));
    if (cancelled === undefined) throw unknownBatch(id);
    await this.#streams.purge(cancelled);
  }

  /** Removes a batch with its rows and answers. Its id can be used again. */
  async remove(id: string): Promise<void> {
    await this.cancel(id);
    await this.#streams.remove(id);
  }

  /** Closes the connection if `openBatches` opened it. */
  async close(): Promise<void> {
    await this.#fleet.close();
    if (this.#open.isOwned) await this.#open.connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #entryFor(id: string, reference: string): Promise<BatchEntry> {
    const existing = await this.#streams.entry(id);
    const entry =
      existing ??
      (await this.#streams.create({
        id,
        key: crypto.randomUUID(),
        version: (await this.describe(reference)).version,
        isCancelled: false,
      }));
    if (entry.isCancelled) throw cancelledBatch(id);
    const [model, wanted] = [modelIn(entry.version), modelIn(reference)];
    if (model !== wanted) throw batchError(`a batch of ${JSON.stringify(wanted)}`, JSON.stringify(entry.version), id);
    return entry;
  }

  /** Adds a chunk to the queue, unless the queue has it. */
  async #send(chunk: Chunk): Promise<void> {
    const { batch, model, index, firstRow, request } = chunk;
    const sent = headers();
    sent.set(BatchHeader.firstRow, `${firstRow}`);
    sent.set(BatchHeader.sha256, sha256Of(request));
    const isNew = await this.#streams.add(rowsSubject(model, batch.key, index), request, { headers: sent });
    if (!isNew) await this.#checkSame(chunk);
  }

  /** Checks that a chunk that was submitted before has the same rows. @throws ERR_NATS_BATCH */
  async #checkSame({ batch, model, index, firstRow, request }: Chunk): Promise<void> {
    const before =
      (await this.#streams.sha256(ROWS, rowsSubject(model, batch.key, index))) ??
      (await this.#streams.sha256(ANSWERS, answersSubject(batch.key, index)));
    if (before === undefined || before === sha256Of(request)) return;
    throw batchError('the rows of the batch', `other rows from row ${firstRow}`, batch.id, OTHER_ROWS);
  }

  /** Writes the size of a batch. @throws ERR_NATS_BATCH if the batch had another size before. */
  async #seal(id: string, size: BatchSize): Promise<BatchSize> {
    const sealed = await this.#streams.change(id, (entry) => ({ ...entry, size: entry.size ?? size }));
    if (sealed === undefined) throw unknownBatch(id);
    if (sealed.isCancelled) throw cancelledBatch(id);
    if (sealed.size!.rows === size.rows && sealed.size!.chunks === size.chunks) return size;
    throw batchError(`${sealed.size!.rows} rows, as in the batch`, `${size.rows} rows`, id, OTHER_ROWS);
  }

  async #known(id: string): Promise<BatchEntry> {
    const entry = await this.#streams.entry(id);
    if (entry === undefined) throw unknownBatch(id);
    return entry;
  }

  async #statusOf(entry: BatchEntry): Promise<BatchStatus> {
    const answered = (await this.#streams.answered(entry)).size;
    return { id: entry.id, version: entry.version, ...entry.size, ...stateOf(entry, answered) };
  }

  /** Reports to the servers of a model that its queue has chunks. */
  #wake(model: string): void {
    const { connection } = this.#open;
    if (!connection.isClosed()) connection.publish(WAKE, model);
  }
}

/** Collects the answers of one batch in order. */
class AnswerCollector {
  readonly #streams: BatchStreams;
  readonly #batch: BatchEntry;
  readonly #signal: AbortSignal | undefined;
  readonly #order = new OrderedAnswers();
  readonly #stops: (() => unknown)[] = [];
  #size: BatchSize | undefined;
  #failure: { readonly error: unknown } | undefined;
  #onChange = () => {};

  constructor(streams: BatchStreams, batch: BatchEntry, signal: AbortSignal | undefined) {
    this.#streams = streams;
    this.#batch = batch;
    this.#signal = signal;
  }

  async *answers(): AsyncGenerator<Answer[]> {
    this.#signal?.throwIfAborted();
    const abort = () => this.#fail(this.#signal!.reason);
    this.#signal?.addEventListener('abort', abort);
    this.#stops.push(() => this.#signal?.removeEventListener('abort', abort));
    await guarded(() => this.#follow());
    for (;;) {
      const position = this.#order.take();
      if (this.#failure !== undefined) throw this.#failure.error;
      if (position !== undefined) yield await this.#read(position);
      else if (this.#order.next === this.#size?.chunks) return;
      else await new Promise<void>((resolve) => (this.#onChange = resolve));
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#stops.map(async (stop) => stop()));
  }

  async #follow(): Promise<void> {
    const { id, key } = this.#batch;
    const watch = await this.#streams.watch(id);
    this.#stops.push(() => watch.stop());
    const consumer = await this.#streams.client.consumers.get(ANSWERS, {
      filter_subjects: answersSubject(key, '*'),
      headers_only: true,
    });
    const messages = await consumer.consume();
    this.#stops.push(() => messages.close());
    const entries = async () => {
      for await (const { operation, value } of watch) {
        if (operation !== 'PUT') return this.#fail(unknownBatch(id));
        const entry = decodeBatch(value);
        if (entry.isCancelled || entry.key !== key) return this.#fail(cancelledBatch(id));
        this.#size = entry.size;
        this.#onChange();
      }
    };
    const positions = async () => {
      for await (const { subject, seq } of messages) {
        this.#order.add(chunkIn(subject), seq);
        this.#onChange();
      }
    };
    for (const work of [entries(), positions()]) void work.catch((error: unknown) => this.#fail(error));
  }

  /** Reads the answers of a chunk. @throws the error of the chunk */
  async #read(seq: number): Promise<Answer[]> {
    const message = await this.#streams.answersAt(seq, () => this.#failure !== undefined);
    if (message === null) throw cancelledBatch(this.#batch.id);
    const reply = decodeReply(message.data);
    if (!(reply instanceof BrezelError)) return [...reply.answers];
    throw withRowsBefore(reply, Number(message.header.get(BatchHeader.firstRow)));
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#onChange();
  }
}

/** Collects rows into groups. */
async function* groupsOf(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let group: Row[] = [];
  for await (const row of rows) {
    group.push(row);
    if (group.length < MAX_ROWS) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

function stateOf({ isCancelled, size }: BatchEntry, answeredChunks: number) {
  const state = isCancelled
    ? 'cancelled'
    : size === undefined
      ? 'submitting'
      : answeredChunks < size.chunks
        ? 'running'
        : 'answered';
  return { state, answeredChunks } as const;
}

const OTHER_ROWS = 'submit the same rows as before, or use another id';

const unknownBatch = (id: string) =>
  batchError('the id of a batch', JSON.stringify(id), undefined, 'see the batches: brezel batch list');

const cancelledBatch = (id: string) => batchError('a batch', 'a cancelled batch', id, 'use another id');

/**
 * Opens the offline batches of a cluster. Needs a NATS server with JetStream.
 *
 * @throws ERR_NATS_OPTION, ERR_NATS_SERVER_URL, ERR_NATS_CREDENTIALS, ERR_NATS_CONNECTION,
 * ERR_NATS_STORE
 */
export async function openBatches(options: BatchOptions): Promise<Batches> {
  const checked = checkedBatches(options);
  const open = await openConnection(options, checked.name);
  try {
    return new Batches(open, await BatchStreams.open(open.connection, checked.clock), checked);
  } catch (error) {
    if (open.isOwned) await open.connection.close();
    throw error;
  }
}
