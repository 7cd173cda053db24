import { readFileSync, statSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { type CompiledCode, readCache, writeCache } from './cache-file.js';

interface Loaded {
  readonly source: string;
  readonly script: Script;
}

type Wrapper = (...parameters: readonly unknown[]) => void;

const HEAD = '(function (exports, require, module, __filename, __dirname) { ';

/**
 * Loads the CommonJS files of one folder with compiled code from a cache file. The loader adds each
 * module to `require.cache`, so that a later `require` of this file returns the same module. The
 * files must not contain `import()`: in code that is loaded this way, it needs an experimental
 * option of Node.
 */
export class CompiledLoader {
  readonly #folder: string;
  readonly #path: string;
  readonly #cached: ReadonlyMap<string, CompiledCode>;
  readonly #loaded = new Map<string, Loaded>();
  readonly #require: NodeJS.Require;
  readonly #requireFile: NodeJS.Require;
  /** Whether the loader has compiled a file because the cache file lacks usable code for it. */
  #isStale = false;

  /** @param path the cache file; it may be missing */
  constructor(folder: string, path: string) {
    this.#folder = folder;
    this.#path = path;
    this.#cached = new Map(readCache(path)?.map((item) => [item.name, item]));
    this.#require = createRequire(join(folder, 'code-cache.cjs'));
    const requireFile = (name: string) =>
      /^\.\/[\w-]+\.cjs$/.test(name) ? this.load(name.slice(2)) : this.#require(name);
    this.#requireFile = Object.assign(requireFile, this.#require);
  }

  /** Returns the exports of a file, and runs the file if this process has not loaded it. */
  load(name: string): unknown {
    const path = join(this.#folder, name);
    const known = this.#require.cache[path];
    if (known !== undefined) return known.exports;
    const module = new Module(path);
    module.filename = path;
    this.#require.cache[path] = module;
    try {
      const run = this.#compile(name, path).runInThisContext() as Wrapper;
      run.call(module.exports, module.exports, this.#requireFile, module, path, dirname(path));
    } catch (error) {
      delete this.#require.cache[path];
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  /**
   * Writes the cache file, if it lacks usable code for a loaded file. V8 adds a function to the
   * code when the function runs for the first time, so call this method after a prediction.
   */
  write(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    const codes = new Map(this.#cached);
    for (const [name, { source, script }] of this.#loaded)
      codes.set(name, { name, source, code: script.createCachedData() });
    writeCache(this.#path, [...codes.values()]);
  }

  #compile(name: string, path: string): Script {
    const source = sourceOf(path);
    const item = this.#cached.get(name);
    const cachedData = item?.source === source ? item.code : undefined;
    const script = new Script(`${HEAD}${readFileSync(path, 'utf8')}\n})`, {
      filename: path,
      columnOffset: -HEAD.length,
      cachedData,
    });
    this.#isStale ||= cachedData === undefined || script.cachedDataRejected === true;
    this.#loaded.set(name, { source, script });
    return script;
  }
}

function sourceOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${size}-${mtimeMs}`;
}
