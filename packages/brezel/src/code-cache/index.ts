// The code cache of the published package: compiled JavaScript in a folder that the user names in
// BREZEL_CODE_CACHE. Each entry point calls `loadCached` if the variable is set. This module is
// loaded before the library, so it imports no other code of Brezel.
import { subscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checksum } from './cache-file.js';
import { CompiledLoader } from './compiled-loader.js';
import { checkedFolder } from './folder.js';

/** The runtime publishes on this channel when a plan has answered for the first time. */
const FIRST_ANSWER = 'brezel.firstAnswer';

/** The loader of this thread, or undefined if it does not use a cache. */
let loader: CompiledLoader | undefined;
let isOpen = false;

/** An entry point of the published package. */
interface Entry {
  /** The folder of the package's files. */
  readonly folder: string;
  readonly file: string;
  /**
   * SHA-256 of the package's files. The name of the cache file contains this hash, because a new
   * build of the package needs a new cache.
   */
  readonly bundle: string;
}

/**
 * Loads an entry point of the published package with compiled code from the cache.
 *
 * @param usual a function that loads the entry point without a cache. `loadCached` calls this
 * function if the folder of the cache is not safe, or if a bundler has moved the code of the
 * package into other files.
 */
export function loadCached({ folder, file, bundle }: Entry, usual: () => unknown): unknown {
  if (!isOpen) {
    isOpen = true;
    if (existsSync(join(folder, file))) loader = opened(folder, `${file.replace(/\.cjs$/, '')}-${bundle}`);
  }
  return loader === undefined ? usual() : loader.load(file);
}

function opened(folder: string, prefix: string): CompiledLoader | undefined {
  const checked = checkedFolder(process.env.BREZEL_CODE_CACHE!);
  if ('reason' in checked) return warn(checked.reason);
  const loader = new CompiledLoader(folder, join(checked.path, `${prefix}-${engine()}.cache`));
  subscribe(FIRST_ANSWER, () => writeSoon(loader));
  return loader;
}

/**
 * Returns the part of the file name that identifies the version of V8, the architecture, and the
 * flags of the process. V8 rejects code that was compiled with another version or other flags.
 * `cachedDataVersionTag` of `node:v8` is more precise, but loading that module takes 4 ms.
 */
function engine(): string {
  const flags = Buffer.from(`${process.execArgv.join(' ')} ${process.env.NODE_OPTIONS ?? ''}`);
  return `${process.versions.v8}-${process.arch}-${checksum(flags).toString(16)}`;
}

/**
 * Writes the cache after the current turn of the event loop, or when the process exits, whichever
 * is first.
 */
function writeSoon(loader: CompiledLoader): void {
  const write = () => {
    process.off('exit', write);
    try {
      loader.write();
    } catch (error) {
      warn((error as Error).message);
    }
  };
  process.on('exit', write);
  setImmediate(write).unref();
}

function warn(reason: string): undefined {
  process.emitWarning(`Brezel does not use the code cache of BREZEL_CODE_CACHE: ${reason}`, {
    type: 'BrezelWarning',
    code: 'BREZEL_CODE_CACHE',
  });
}
