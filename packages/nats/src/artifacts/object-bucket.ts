import { jetstream } from '@nats-io/jetstream';
import { type ObjectInfo, type ObjectResult, type ObjectStore, Objm, StorageType } from '@nats-io/obj';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from 'brezel';
import { NatsError, natsError, storeError } from '../errors.js';
import { sha256Of } from './recipe.js';

/** The parts of a bucket. */
export interface BucketParts {
  readonly connection: NatsConnection;
  readonly name: string;
  readonly clock: Clock;
  /** Milliseconds without a byte, or without an answer, after which an attempt fails. */
  readonly stallMs: number;
  /** Aborts when the bucket is closed. */
  readonly signal: AbortSignal;
}

const ATTEMPTS = 3;
const CLOSED = 'the artifacts were closed';

/**
 * A bucket of the JetStream object store. The name of each object is the SHA-256 of its bytes, so
 * an object never changes. Each byte that is read is checked.
 */
export class ObjectBucket {
  readonly #parts: BucketParts;
  #store: Promise<ObjectStore> | undefined;

  constructor(parts: BucketParts) {
    this.#parts = parts;
  }

  /**
   * Writes an object, unless the bucket has it. Returns whether it was written.
   *
   * @throws ERR_NATS_STORE
   */
  async write(sha256: string, bytes: Uint8Array): Promise<boolean> {
    return this.#using(async (store) => {
      const info = await store.info(sha256);
      if (info !== null && isIntact(info, sha256, bytes.length)) return false;
      await store.putBlob({ name: sha256 }, bytes);
      return true;
    }, true);
  }

  /**
   * Reads an object.
   *
   * @param most the largest number of bytes
   * @param exactly the number of bytes, if it is known
   * @throws ERR_NATS_ARTIFACT if the object is missing, damaged or too large; ERR_NATS_STORE
   */
  async read(sha256: string, most: number, exactly?: number): Promise<Buffer> {
    for (let attempt = 1; ; attempt++) {
      const { size } = await this.#using((store) => acceptable(store, sha256, most, exactly));
      try {
        return await this.#using((store) => this.#download(store, sha256, size));
      } catch (error) {
        // Another client may replace the object with an equal object during the read.
        if (attempt === ATTEMPTS || this.#parts.signal.aborted) throw error;
      }
    }
  }

  async #download(store: ObjectStore, sha256: string, size: number): Promise<Buffer> {
    const result = await store.get(sha256);
    if (result === null) throw unacceptable(sha256, 'an object', 'no object');
    const bytes = await this.#collect(result, sha256, size);
    if (bytes.length === size && sha256Of(bytes) === sha256) return bytes;
    throw unacceptable(sha256, `${size} bytes with this SHA-256`, `${bytes.length} other bytes`);
  }

  /** Reads all bytes of an object, but at most one piece more than its size. */
  async #collect({ data, error }: ObjectResult, sha256: string, size: number): Promise<Buffer> {
    // The library also reports an error of the stream here, where nothing else would handle it.
    error.catch(() => {});
    const reader = data.getReader();
    const pieces: Uint8Array[] = [];
    try {
      for (let received = 0; received < size; received += pieces.at(-1)!.length) {
        const read = reader.read().catch((cause: unknown) => {
          throw unacceptable(sha256, `${size} bytes with this SHA-256`, `${received} other bytes`, cause);
        });
        const { done, value } = await this.#withinTime(read);
        if (done) break;
        pieces.push(value);
      }
      return Buffer.concat(pieces);
    } finally {
      void reader.cancel().catch(() => {});
    }
  }

  /** Waits for a read. Rejects if it takes longer than `stallMs`, or if the bucket is closed. */
  async #withinTime<T>(read: Promise<T>): Promise<T> {
    const { clock, stallMs, signal } = this.#parts;
    let stop = () => {};
    const late = new Promise<never>((_, reject) => {
      const abort = () => reject(new Error(CLOSED));
      const timer = clock.setTimeout(() => reject(new Error(`no bytes within ${stallMs} ms`)), stallMs);
      signal.addEventListener('abort', abort);
      stop = () => {
        timer.cancel();
        signal.removeEventListener('abort', abort);
      };
      if (signal.aborted) abort();
    });
    try {
      return await Promise.race([read, late]);
    } finally {
      stop();
    }
  }

  /** Runs a function with the open bucket. A failed attempt to open the bucket is not cached. */
  async #using<T>(run: (store: ObjectStore) => Promise<T>, canCreate = false): Promise<T> {
    const { name, signal } = this.#parts;
    try {
      if (signal.aborted) throw new Error(CLOSED);
      this.#store ??= openBucket(this.#parts, canCreate);
      return await run(await this.#store);
    } catch (cause) {
      if (!(cause instanceof NatsError)) this.#store = undefined;
      throw storeError(cause, `the bucket ${name}`);
    }
  }
}

async function openBucket({ connection, name, stallMs }: BucketParts, canCreate: boolean): Promise<ObjectStore> {
  const buckets = new Objm(jetstream(connection, { timeout: stallMs }));
  return canCreate ? buckets.create(name, { storage: StorageType.File }) : buckets.open(name);
}

/** Returns whether the description of an object promises the expected bytes. */
function isIntact(info: ObjectInfo, sha256: string, bytes: number): boolean {
  const digest = Buffer.from(sha256, 'hex').toString('base64url');
  const found = String(info.digest)
    .replace(/^SHA-256=/, '')
    .replace(/=+$/, '');
  return !info.deleted && info.options?.link === undefined && info.size === bytes && found === digest;
}

/**
 * Returns the description of an object whose bytes may be read.
 * @throws ERR_NATS_ARTIFACT
 */
async function acceptable(
  store: ObjectStore,
  sha256: string,
  most: number,
  exactly: number | undefined,
): Promise<ObjectInfo> {
  const info = await store.info(sha256);
  if (info === null || info.deleted) throw unacceptable(sha256, 'an object', 'no object');
  if (!(info.size <= most)) throw unacceptable(sha256, `at most ${most} bytes`, `${info.size} bytes`);
  if (isIntact(info, sha256, exactly ?? info.size)) return info;
  throw unacceptable(sha256, `${exactly ?? info.size} bytes with this SHA-256`, 'another object');
}

const unacceptable = (sha256: string, expected: string, received: string, cause?: unknown): NatsError =>
  natsError('ERR_NATS_ARTIFACT', { expected, received, at: `object ${sha256}`, cause });
