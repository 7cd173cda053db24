import { jetstream } from '@nats-io/jetstream';
import { type KV, type KvEntry, Kvm, type KvWatchEntry } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { natsError, storeError } from '../errors.js';
import { tokenOf } from '../protocol/subjects.js';
import { type CatalogModel, decodeModel, encodeModel, MAX_ENTRY_BYTES } from './model-entry.js';

/** How often a change is tried if other clients change the same model. */
const ATTEMPTS = 64;
/** The code of JetStream for an entry that has changed since it was read. */
const WRONG_LAST_SEQUENCE = 10071;

/** A change of a model: returns the changed model, or undefined to delete it. */
export type Change<Result> = (model: CatalogModel | undefined) => {
  readonly model: CatalogModel | undefined;
  readonly result: Result;
};

/** The key-value bucket of the catalog, with one entry for each model. */
export class CatalogBucket {
  readonly #kv: KV;
  readonly #name: string;

  constructor(kv: KV, name: string) {
    this.#kv = kv;
    this.#name = name;
  }

  /**
   * Opens the bucket, and creates it if it is missing.
   * @throws ERR_NATS_STORE
   */
  static async open(connection: NatsConnection, name: string, timeout: number): Promise<CatalogBucket> {
    const open = () => new Kvm(jetstream(connection, { timeout })).create(name, { maxValueSize: MAX_ENTRY_BYTES });
    return new CatalogBucket(await guarded(name, open), name);
  }

  /** Returns the models. An invalid entry is an error. */
  async list(): Promise<CatalogModel[]> {
    return guarded(this.#name, async () => {
      const keys: string[] = [];
      for await (const key of await this.#kv.keys()) keys.push(key);
      const models = await Promise.all(keys.map(async (key) => modelIn(await this.#kv.get(key))));
      return models.filter((model) => model !== undefined);
    });
  }

  /**
   * Changes the entry of a model with compare-and-set: if another client changes the entry at the
   * same time, the change is computed again.
   *
   * @throws ERR_NATS_STORE, the errors of `change`
   */
  async change<Result>(name: string, change: Change<Result>): Promise<Result> {
    return guarded(this.#name, async () => {
      const key = tokenOf(name);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const entry = await this.#kv.get(key);
        const before = modelIn(entry);
        const { model, result } = change(before);
        if (model === before) return result;
        if (await this.#isWritten(key, model, entry?.revision ?? 0)) return result;
      }
      throw new Error(`other clients changed ${JSON.stringify(name)} during ${ATTEMPTS} attempts`);
    });
  }

  /** Returns a watch, which yields the current entries and then each change. */
  async watch(): Promise<AsyncIterable<KvWatchEntry> & { stop(error?: Error): void }> {
    return guarded(this.#name, () => this.#kv.watch());
  }

  /** Returns whether the bucket has entries, including deleted entries. */
  async hasEntries(): Promise<boolean> {
    return guarded(this.#name, async () => (await this.#kv.status()).values > 0);
  }

  async #isWritten(key: string, model: CatalogModel | undefined, previousSeq: number): Promise<boolean> {
    const text = model === undefined ? undefined : encodeModel(model);
    if (text !== undefined && Buffer.byteLength(text) > MAX_ENTRY_BYTES)
      throw natsError('ERR_NATS_CATALOG', {
        expected: `an entry of at most ${MAX_ENTRY_BYTES} bytes`,
        received: `${Buffer.byteLength(text)} bytes`,
        hint: 'remove old versions and aliases',
      });
    try {
      if (text === undefined) await this.#kv.delete(key, { previousSeq });
      else await this.#kv.put(key, text, { previousSeq });
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === WRONG_LAST_SEQUENCE) return false;
      throw error;
    }
  }
}

/**
 * Returns the model of an entry, or undefined if it was deleted.
 * @throws ERR_NATS_CATALOG
 */
export function modelIn(entry: KvEntry | null): CatalogModel | undefined {
  if (entry === null || entry.operation !== 'PUT') return undefined;
  const model = decodeModel(entry.value, `the entry ${entry.key}`);
  if (tokenOf(model.name) === entry.key) return model;
  throw natsError('ERR_NATS_CATALOG', { expected: 'the name of its key', received: model.name, at: entry.key });
}

/** Converts errors of NATS. */
async function guarded<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw storeError(cause, `the bucket ${name}`);
  }
}
