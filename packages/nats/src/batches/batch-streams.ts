import { createHash } from 'node:crypto';
import {
  AckPolicy,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from 'brezel';
import { storeError } from '../errors.js';
import { tokenOf } from '../protocol/subjects.js';
import { type BatchEntry, decodeBatch, encodeBatch } from './batch-entry.js';
import { retried } from './retried.js';

/** The work queue of chunks of rows. A chunk stays in it until its answers are stored. */
export const ROWS = 'brezel-batch-rows';
/** The answers of chunks. */
export const ANSWERS = 'brezel-batch-answers';
/** The key-value bucket with an entry for each batch. */
const BATCHES = 'brezel-batches';

/** The subject on which clients report that a model has chunks. */
export const WAKE = 'brezel.v1.batch-wake';

/** Nanoseconds until chunks, answers and entries of forgotten batches are removed: seven days. */
const MAX_AGE_NS = 7 * 24 * 3600 * 1e9;
/** Milliseconds until a chunk of a server that reports no progress goes to another server. */
export const ACK_WAIT_MS = 10_000;
/** The code of JetStream for a subject that already has a message. */
const WRONG_LAST_SEQUENCE = 10071;
const MISSING = new Set([10014, 10059]); // consumer and stream

/** The subject of a chunk. `key` is the key of the batch. */
export const rowsSubject = (model: string, key: string, chunk: number | '*'): string =>
  `brezel.v1.batch-rows.${tokenOf(model)}.${key}.${chunk}`;

/** The subject of the answers of a chunk. `key` is the key of the batch. */
export const answersSubject = (key: string, chunk: number | '*'): string => `brezel.v1.batch-answers.${key}.${chunk}`;

/** The index of the chunk in a subject. */
export const chunkIn = (subject: string): number => Number(subject.slice(subject.lastIndexOf('.') + 1));

/** The name of the consumer of a model. All servers of the model share it. */
export const consumerOf = (model: string): string =>
  `m-${createHash('sha256').update(model).digest('hex').slice(0, 24)}`;

/** Headers of chunks and answers. */
export const BatchHeader = {
  /** The index of the first row of the chunk in the batch. */
  firstRow: 'Brezel-First-Row',
  /** The SHA-256 of the chunk. */
  sha256: 'Brezel-Sha256',
} as const;

/** The streams and the bucket of batches. */
export class BatchStreams {
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly #kv: KV;
  readonly #clock: Clock;

  private constructor(client: JetStreamClient, manager: JetStreamManager, kv: KV, clock: Clock) {
    this.client = client;
    this.manager = manager;
    this.#kv = kv;
    this.#clock = clock;
  }

  /**
   * Opens the streams, and creates them if they are missing.
   * @throws ERR_NATS_STORE
   */
  static async open(connection: NatsConnection, clock: Clock): Promise<BatchStreams> {
    return guarded(async () => {
      const manager = await jetstreamManager(connection);
      const common = { storage: StorageType.File, max_age: MAX_AGE_NS };
      const rows = {
        ...common,
        name: ROWS,
        subjects: ['brezel.v1.batch-rows.>'],
        retention: RetentionPolicy.Workqueue,
      };
      const answers = { ...common, name: ANSWERS, subjects: ['brezel.v1.batch-answers.>'] };
      for (const stream of [rows, answers]) await manager.streams.add(stream);
      const kv = await new Kvm(jetstream(connection)).create(BATCHES, { ttl: MAX_AGE_NS / 1e6 });
      return new BatchStreams(jetstream(connection), manager, kv, clock);
    });
  }

  /** Creates the consumer that the servers of a model share, unless it exists. */
  async addConsumer(model: string): Promise<void> {
    await this.#guarded(() =>
      this.manager.consumers.add(ROWS, {
        durable_name: consumerOf(model),
        filter_subject: `brezel.v1.batch-rows.${tokenOf(model)}.>`,
        ack_policy: AckPolicy.Explicit,
        ack_wait: ACK_WAIT_MS * 1e6,
        max_ack_pending: 10_000,
      }),
    );
  }

  async entry(id: string): Promise<BatchEntry | undefined> {
    return this.#guarded(async () => {
      const entry = await this.#kv.get(id);
      return entry === null || entry.operation !== 'PUT' ? undefined : decodeBatch(entry.value);
    });
  }

  async entries(): Promise<BatchEntry[]> {
    return this.#guarded(async () => {
      const ids: string[] = [];
      for await (const id of await this.#kv.keys()) ids.push(id);
      const entries = await Promise.all(ids.map((id) => this.entry(id)));
      return entries.filter((entry) => entry !== undefined);
    });
  }

  /** Creates the entry of a batch. Returns the entry that exists if another client was faster. */
  async create(entry: BatchEntry): Promise<BatchEntry> {
    return this.#guarded(async () => {
      try {
        await this.#kv.create(entry.id, encodeBatch(entry));
        return entry;
      } catch (error) {
        const existing = isTaken(error) ? await this.entry(entry.id) : undefined;
        if (existing === undefined) throw error;
        return existing;
      }
    });
  }

  /**
   * Changes the entry of a batch with compare-and-set. Returns undefined for an unknown batch.
   */
  async change(id: string, change: (entry: BatchEntry) => BatchEntry): Promise<BatchEntry | undefined> {
    return this.#guarded(async () => {
      for (;;) {
        const found = await this.#kv.get(id);
        if (found === null || found.operation !== 'PUT') return undefined;
        const changed = change(decodeBatch(found.value));
        try {
          await this.#kv.put(id, encodeBatch(changed), { previousSeq: found.revision });
          return changed;
        } catch (error) {
          if (!isTaken(error)) throw error;
        }
      }
    });
  }

  /** Yields the entry of a batch after each change. */
  async watch(id: string) {
    return this.#guarded(() => this.#kv.watch({ key: id }));
  }

  async remove(id: string): Promise<void> {
    await this.#guarded(() => this.#kv.purge(id));
  }

  /** Stores a message, unless its subject has one. Returns whether it was stored. */
  async add(
    subject: string,
    payload: Uint8Array,
    options: Parameters<typeof this.client.publish>[2],
  ): Promise<boolean> {
    return this.#guarded(() => added(this.client, subject, payload, options));
  }

  /** Returns the message of ANSWERS with this sequence number, or null if it was removed. */
  async answersAt(seq: number, isEnded: () => boolean) {
    return this.#guarded(() => this.manager.streams.getMessage(ANSWERS, { seq }), isEnded);
  }

  /**
   * Runs `work`, which calls JetStream. Runs `work` again while NATS cannot be reached, unless
   * `isEnded` returns true. Converts errors of NATS.
   */
  #guarded<T>(work: () => Promise<T>, isEnded?: () => boolean): Promise<T> {
    return guarded(() => retried(this.#clock, work, isEnded));
  }

  /** Returns the SHA-256 of the chunk of a message, or undefined without a message. */
  async sha256(stream: string, subject: string): Promise<string | undefined> {
    return this.#guarded(async () => {
      const message = await this.manager.streams.getMessage(stream, { last_by_subj: subject });
      return message?.header.get(BatchHeader.sha256);
    });
  }

  /** Returns the indexes of the chunks that have answers. */
  async answered({ key }: BatchEntry): Promise<Set<number>> {
    return this.#guarded(async () => {
      const { state } = await this.manager.streams.info(ANSWERS, { subjects_filter: answersSubject(key, '*') });
      return new Set(Object.keys(state.subjects ?? {}).map(chunkIn));
    });
  }

  /** Removes the chunks and the answers of a batch. */
  async purge({ key }: BatchEntry): Promise<void> {
    await this.#guarded(async () => {
      await this.manager.streams.purge(ROWS, { filter: `brezel.v1.batch-rows.*.${key}.*` });
      await this.manager.streams.purge(ANSWERS, { filter: answersSubject(key, '*') });
    });
  }
}

/** Stores a message, unless its subject has one. Returns whether it was stored. */
export async function added(
  client: JetStreamClient,
  subject: string,
  payload: Uint8Array,
  options: Parameters<JetStreamClient['publish']>[2],
): Promise<boolean> {
  try {
    await client.publish(subject, payload, { ...options, expect: { lastSubjectSequence: 0 } });
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}

const isTaken = (error: unknown): boolean => codeOf(error) === WRONG_LAST_SEQUENCE;

/** Whether JetStream has no such stream or consumer. */
export const isMissing = (error: unknown): boolean => MISSING.has(codeOf(error)!);

const codeOf = (error: unknown): number | undefined =>
  error instanceof JetStreamApiError ? error.code : (error as { code?: number } | undefined)?.code;

/** Converts errors of NATS. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw storeError(cause, 'the streams of batches');
  }
}
