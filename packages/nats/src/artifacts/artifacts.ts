import { open, stat } from 'node:fs/promises';
import { type ObjectStore, openFleet, type PlanSource } from 'brezel';
import { type OpenConnection, openConnection, optionError } from '../connection/connection-options.js';
import { natsError } from '../errors.js';
import { type ArtifactOptions, checkedArtifacts } from '../options.js';
import { ArtifactCache } from './artifact-cache.js';
import { ArtifactFleets } from './artifact-fleets.js';
import { ObjectBucket } from './object-bucket.js';
import { contentsOf, type PlanContent } from './plan-contents.js';
import { rangesOf } from './ranges.js';
import {
  decodeRecipe,
  encodeRecipe,
  isSha256,
  MAX_PART_BYTES,
  MAX_RECIPE_BYTES,
  type Part,
  sha256Of,
} from './recipe.js';

/** A fleet file in the object store. */
export interface Artifact {
  /** The id of the artifact: the SHA-256 of its recipe. Equal files have equal ids. */
  readonly artifact: string;
  /** The names of the plans in the file. */
  readonly plans: readonly string[];
  /** The parameters of each plan. */
  readonly contents: readonly PlanContent[];
  /** The size of the file. */
  readonly bytes: number;
  /** The bytes that the object store did not have before. */
  readonly sentBytes: number;
}

/** Counters of a client of the object store since it was opened. */
export interface ArtifactStatistics {
  /** Bytes that were written into the object store. */
  readonly sentBytes: number;
  /** Bytes that were read from the object store. */
  readonly fetchedBytes: number;
  /** Bytes of fetched artifacts that were copied from other files of the cache. */
  readonly copiedBytes: number;
  /** The number of artifacts that were built in the cache. */
  readonly built: number;
}

/**
 * The fleet files of a cluster in the object store of NATS; `openArtifacts` creates it. A file is
 * stored in parts, and equal parts of several files are stored and fetched once.
 */
export class Artifacts {
  readonly #open: OpenConnection;
  readonly #options: ReturnType<typeof checkedArtifacts>;
  readonly #bucket: ObjectBucket;
  readonly #cache: ArtifactCache;
  readonly #fleets: ArtifactFleets | undefined;
  readonly #closing = new AbortController();
  readonly #fetches = new Map<string, Promise<string>>();
  #statistics = { sentBytes: 0, fetchedBytes: 0, copiedBytes: 0, built: 0 };
  #closed: Promise<void> | undefined;

  /** Only `openArtifacts` calls the constructor. */
  constructor(open: OpenConnection, options: ReturnType<typeof checkedArtifacts>) {
    const { bucket: name, clock, stallMs, cacheFolder, cacheBytes, store } = options;
    this.#open = open;
    this.#options = options;
    this.#bucket = new ObjectBucket({
      connection: open.connection,
      name,
      clock,
      stallMs,
      signal: this.#closing.signal,
    });
    this.#cache = new ArtifactCache(cacheFolder, cacheBytes);
    this.#fleets = store && new ArtifactFleets((artifact) => this.#openFleet(artifact, store));
  }

  /**
   * Checks every byte and every plan of a fleet file, and stores the parts that the object store
   * does not have. With `trustedKeys`, the file must be signed.
   *
   * @throws ERR_NATS_ARTIFACT if the file changes meanwhile or is too large; ERR_NATS_STORE,
   * ERR_NATS_CLOSED, the errors of `openFleet`
   */
  async push(path: string): Promise<Artifact> {
    this.#checkOpen();
    const before = await identityOf(path);
    const { plans, contents, bytes, ranges } = await this.#examined(path);
    const parts: Part[] = [];
    let sentBytes = 0;
    const file = await open(path);
    try {
      for (const range of ranges) {
        const content = Buffer.alloc(range.bytes);
        await file.read(content, 0, range.bytes, range.offset);
        const sha256 = sha256Of(content);
        parts.push({ sha256, bytes: range.bytes });
        if (await this.#bucket.write(sha256, content)) sentBytes += range.bytes;
      }
    } finally {
      await file.close();
    }
    const after = await identityOf(path);
    if (after !== before)
      throw natsError('ERR_NATS_ARTIFACT', {
        expected: 'a file that does not change',
        received: 'a changed file',
        at: path,
      });
    const recipe = encodeRecipe({ bytes, parts });
    const artifact = sha256Of(recipe);
    // The recipe is written last: an artifact with a recipe has all its parts.
    if (await this.#bucket.write(artifact, recipe)) sentBytes += recipe.length;
    this.#statistics.sentBytes += sentBytes;
    return { artifact, plans, contents, bytes, sentBytes };
  }

  /**
   * Fetches an artifact into the cache folder, unless the folder has it. Only parts that no file of
   * the folder has are fetched. Returns the path of the file, which never changes.
   *
   * @throws ERR_NATS_ARTIFACT, ERR_NATS_CACHE, ERR_NATS_STORE, ERR_NATS_CLOSED
   */
  async fetch(artifact: string): Promise<string> {
    this.#checkOpen();
    if (!isSha256(artifact))
      throw natsError('ERR_NATS_ARTIFACT', { expected: 'the id of an artifact', received: JSON.stringify(artifact) });
    const known = this.#fetches.get(artifact);
    if (known !== undefined) return known;
    const fetched = this.#fetch(artifact).finally(() => this.#fetches.delete(artifact));
    this.#fetches.set(artifact, fetched);
    return fetched;
  }

  /**
   * Returns a source for `registry.add`: a plan of an artifact. Each load fetches the artifact if
   * the cache folder does not have it. The store of the registry must be the option `store`.
   *
   * @throws ERR_NATS_OPTION without the option `store`
   * @example registry.add('sentiment', artifacts.source(artifact, 'sentiment'), { version: 2 })
   */
  source(artifact: string, plan: string): PlanSource {
    const fleets = this.#fleets;
    if (fleets === undefined)
      throw optionError({ expected: 'the option store, such as registry.store', received: 'none', at: 'source' });
    return { at: `artifact ${artifact}, plan ${JSON.stringify(plan)}`, load: () => fleets.load(artifact, plan) };
  }

  stats(): ArtifactStatistics {
    return { ...this.#statistics };
  }

  /**
   * Stops the fetches in flight, and closes the connection if `openArtifacts` opened it. Loaded
   * plans stay loaded. Repeated calls return the same promise.
   */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #end(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#fetches.values());
    if (this.#open.isOwned) await this.#open.connection.close();
  }

  /** Opens a file with all checks. Returns the names of its plans and the ranges of its parts. */
  async #examined(path: string) {
    const { trustedKeys } = this.#options;
    using fleet = await openFleet(path, { mapping: 'snapshot', ...(trustedKeys && { trustedKeys }) });
    return {
      plans: fleet.names,
      contents: contentsOf(fleet),
      bytes: fleet.bytes,
      ranges: rangesOf(fleet.parameters, fleet.bytes),
    };
  }

  async #fetch(artifact: string): Promise<string> {
    const cached = await this.#cache.find(artifact);
    if (cached !== undefined) return cached;
    const encoded = await this.#bucket.read(artifact, MAX_RECIPE_BYTES);
    const recipe = decodeRecipe(encoded, artifact);
    const inUse = new Set([...(this.#fleets?.artifacts ?? []), ...this.#fetches.keys()]);
    const built = await this.#cache.build(artifact, recipe, inUse, ({ sha256, bytes }) =>
      this.#bucket.read(sha256, MAX_PART_BYTES, bytes),
    );
    this.#statistics.fetchedBytes += encoded.length + built.fetchedBytes;
    this.#statistics.copiedBytes += built.copiedBytes;
    this.#statistics.built++;
    return built.path;
  }

  async #openFleet(artifact: string, store: ObjectStore) {
    const { verify, trustedKeys } = this.#options;
    const options = { store, verify, ...(trustedKeys && { trustedKeys }) };
    const path = await this.fetch(artifact);
    try {
      return await openFleet(path, options);
    } catch (error) {
      // The disk may have damaged the file, or another process may have removed it to make room:
      // build it again, once.
      if (!REBUILT.includes((error as { code?: string }).code ?? '')) throw error;
      await this.#cache.remove(artifact);
      return openFleet(await this.fetch(artifact), options);
    }
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw natsError('ERR_NATS_CLOSED');
  }
}

const REBUILT = ['ERR_STORE_DAMAGED', 'ERR_STORE_FILE'];

/** Returns a text that changes when a program writes to a file or replaces it. */
async function identityOf(path: string): Promise<string> {
  // `openFleet` reports the error of a missing file.
  const status = await stat(path, { bigint: true }).catch(() => undefined);
  return status === undefined ? '' : [status.dev, status.ino, status.size, status.mtimeNs, status.ctimeNs].join(' ');
}

/**
 * Opens the fleet files of a cluster, which are in a bucket of the JetStream object store. `push`
 * creates the bucket.
 *
 * @throws ERR_NATS_OPTION, ERR_NATS_SERVER_URL, ERR_NATS_CREDENTIALS, ERR_NATS_CONNECTION
 */
export async function openArtifacts(options: ArtifactOptions): Promise<Artifacts> {
  const checked = checkedArtifacts(options);
  return new Artifacts(await openConnection(options, checked.name), checked);
}
