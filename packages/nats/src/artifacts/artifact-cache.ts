import { lstat, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { NatsError, natsError } from '../errors.js';
import { openCacheFolder } from './cache-folder.js';
import { type PartOfFile, readPart, writeAll } from './part-files.js';
import { decodeRecipe, encodeRecipe, isSha256, type Part, type Recipe, sha256Of } from './recipe.js';

/** Number of parts that are fetched at the same time. */
const FETCHES = 4;

/** A part and its position in a file. */
interface PlacedPart extends Part {
  readonly offset: number;
}

/** A file that was built in the cache, and the sources of its bytes. */
export interface Built {
  readonly path: string;
  /** Bytes that `fetch` returned. */
  readonly fetchedBytes: number;
  /** Bytes that were copied from other files of the cache. */
  readonly copiedBytes: number;
}

/**
 * A folder with fleet files, which all processes of a user on a machine may share. The name of a
 * file is the id of its artifact. Files are written under a temporary name and then renamed, and
 * never change afterwards. Next to each file is its recipe, so that parts of the file can be copied
 * into other files.
 */
export class ArtifactCache {
  readonly #folder: string;
  readonly #maxBytes: number;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /**
   * Returns the path of an artifact, or undefined if the cache does not have it.
   * @throws ERR_NATS_CACHE
   */
  async find(artifact: string): Promise<string | undefined> {
    return this.#guarded(async () => {
      await openCacheFolder(this.#folder);
      const recipe = await this.#recipe(artifact);
      const path = this.#path(artifact);
      const status = await lstat(path).catch(() => undefined);
      if (recipe === undefined || !status?.isFile() || status.size !== recipe.bytes) return undefined;
      const now = new Date();
      await utimes(path, now, now).catch(() => {}); // the least recently used file is removed first
      return path;
    });
  }

  /** Removes an artifact. Processes that have mapped its file can still read it. */
  async remove(artifact: string): Promise<void> {
    await rm(this.#path(artifact), { force: true }).catch(() => {});
    await rm(this.#recipePath(artifact), { force: true }).catch(() => {});
  }

  /**
   * Builds the file of an artifact from parts of other files, and fetches the parts that no file of
   * the cache has. After an error, the cache has no new file.
   *
   * @param inUse artifacts that must stay in the cache
   * @param fetch returns the bytes of a part, and checks them
   * @throws ERR_NATS_CACHE, the errors of `fetch`
   */
  async build(
    artifact: string,
    recipe: Recipe,
    inUse: ReadonlySet<string>,
    fetch: (part: Part) => Promise<Uint8Array>,
  ): Promise<Built> {
    return this.#guarded(async () => {
      await openCacheFolder(this.#folder);
      const found = await this.#partsInFiles(new Set(recipe.parts.map(({ sha256 }) => sha256)));
      await this.#makeRoom(recipe.bytes, new Set([...inUse, artifact]), found);
      const temporary = join(this.#folder, `${crypto.randomUUID()}.tmp`);
      try {
        const counts = await this.#write(temporary, recipe, found, fetch);
        await this.#replace(this.#recipePath(artifact), encodeRecipe(recipe));
        await rename(temporary, this.#path(artifact));
        return { path: this.#path(artifact), ...counts };
      } finally {
        await rm(temporary, { force: true }).catch(() => {});
      }
    });
  }

  async #write(
    path: string,
    { parts }: Recipe,
    found: ReadonlyMap<string, PartOfFile>,
    fetch: (part: Part) => Promise<Uint8Array>,
  ) {
    const file = await open(path, 'wx', 0o600);
    const counts = { fetchedBytes: 0, copiedBytes: 0 };
    const waiting = equalParts(parts);
    const work = async () => {
      for (let same = waiting.shift(); same !== undefined; same = waiting.shift()) {
        const [part] = same;
        const copied = await readPart(found.get(part!.sha256));
        const bytes = copied ?? (await fetch(part!));
        counts[copied === undefined ? 'fetchedBytes' : 'copiedBytes'] += bytes.length;
        for (const { offset } of same) await writeAll(file, bytes, offset);
      }
    };
    try {
      const results = await Promise.allSettled(Array.from({ length: FETCHES }, () => work().catch(stopped(waiting))));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      await file.sync();
      return counts;
    } finally {
      await file.close();
    }
  }

  /** Finds parts in the files of the cache. */
  async #partsInFiles(wanted: ReadonlySet<string>): Promise<Map<string, PartOfFile>> {
    const found = new Map<string, PartOfFile>();
    for (const artifact of await this.#artifacts()) {
      const recipe = await this.#recipe(artifact);
      for (const part of offsetsOf(recipe?.parts ?? []))
        if (wanted.has(part.sha256)) found.set(part.sha256, { ...part, path: this.#path(artifact) });
    }
    return found;
  }

  /** Removes the least recently used files until a file of this size does not exceed the limit. */
  async #makeRoom(bytes: number, kept: ReadonlySet<string>, found: ReadonlyMap<string, PartOfFile>): Promise<void> {
    const useful = new Set([...found.values()].map(({ path }) => path));
    const files = await Promise.all((await this.#artifacts()).map((artifact) => this.#file(artifact)));
    const order = files.toSorted(
      (a, b) => Number(useful.has(a.path)) - Number(useful.has(b.path)) || a.usedMs - b.usedMs,
    );
    let total = files.reduce((sum, file) => sum + file.bytes, bytes);
    for (const file of order) {
      if (total <= this.#maxBytes) return;
      if (kept.has(file.artifact)) continue;
      await this.remove(file.artifact);
      total -= file.bytes;
    }
    if (total <= this.#maxBytes) return;
    throw natsError('ERR_NATS_CACHE', {
      expected: `at most ${this.#maxBytes} bytes of artifacts`,
      received: `${total} bytes of artifacts in use`,
      at: this.#folder,
      hint: 'increase cacheBytes, or use fewer models',
    });
  }

  async #file(artifact: string) {
    const path = this.#path(artifact);
    const status = await stat(path).catch(() => undefined);
    return { artifact, path, bytes: status?.size ?? 0, usedMs: status?.mtimeMs ?? 0 };
  }

  async #artifacts(): Promise<string[]> {
    const names = await readdir(this.#folder);
    return names
      .filter((name) => name.endsWith(FILE))
      .map((name) => name.slice(0, -FILE.length))
      .filter(isSha256);
  }

  /** Returns the recipe of a file, if the recipe is in the cache and undamaged. */
  async #recipe(artifact: string): Promise<Recipe | undefined> {
    const bytes = await readFile(this.#recipePath(artifact)).catch(() => undefined);
    return bytes !== undefined && sha256Of(bytes) === artifact ? decodeRecipe(bytes, artifact) : undefined;
  }

  async #replace(path: string, bytes: Uint8Array): Promise<void> {
    const temporary = join(this.#folder, `${crypto.randomUUID()}.tmp`);
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.close();
      await rename(temporary, path);
    } finally {
      await file.close().catch(() => {});
      await rm(temporary, { force: true }).catch(() => {});
    }
  }

  #path(artifact: string): string {
    return join(this.#folder, `${artifact}${FILE}`);
  }

  #recipePath(artifact: string): string {
    return join(this.#folder, `${artifact}.json`);
  }

  /** Converts errors of the file system, for example of a full disk. */
  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof NatsError) throw cause;
      const received = cause instanceof Error ? cause.message : String(cause);
      throw natsError('ERR_NATS_CACHE', { received, at: this.#folder, cause });
    }
  }
}

const FILE = '.brezel';

function offsetsOf(parts: readonly Part[]): PlacedPart[] {
  let end = 0;
  return parts.map((part) => {
    const offset = end;
    end += part.bytes;
    return { ...part, offset };
  });
}

/** Groups equal parts of one file, so that they are fetched once. */
function equalParts(parts: readonly Part[]): PlacedPart[][] {
  const groups = new Map<string, PlacedPart[]>();
  for (const part of offsetsOf(parts)) groups.set(part.sha256, [...(groups.get(part.sha256) ?? []), part]);
  return [...groups.values()];
}

/** After an error, removes the waiting parts, so that no worker starts another part. */
const stopped = (waiting: unknown[]) => (error: unknown) => {
  waiting.length = 0;
  throw error;
};
