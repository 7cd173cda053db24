import { createRequire } from 'node:module';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import type { NativeAddon } from '@brezel/native';
import { type FileBytes, ObjectStore, type ParameterMemory, type SnapshotLinks } from '@brezel/object-store';
import { nativeError } from './native-errors.js';
import { warnOfReference, wasmObstacle } from './wasm/thread-kernels.js';

// Loads the addon, and opens stores whose bytes are in the addon's memory.

const require = createRequire(import.meta.url);

/**
 * Returns the addon, or the error that says why it could not be loaded and what to do.
 *
 * @throws ERR_NATIVE_BUNDLED
 */
export function loadNative(): { readonly addon?: NativeAddon; readonly error?: Error } {
  try {
    return require('@brezel/native');
  } catch (cause) {
    // The loader is a file of this package and never throws. If `require` fails, a bundler has
    // moved this code away from the loader.
    throw nativeError('ERR_NATIVE_BUNDLED', { received: (cause as Error).message.split('\n')[0]!, cause });
  }
}

/**
 * The key in Node's environment data that records the warning. Worker threads inherit this data, so
 * they do not warn again.
 */
const WARNED = 'brezel: warned about the missing addon';

/**
 * Returns the addon that the option `native` selects. With `true` the addon is required; with
 * `false` the function returns undefined. Without the option, it returns the addon, or undefined if
 * the addon does not load. It then warns once in a process, unless the environment variable
 * BREZEL_NATIVE is `off`.
 *
 * @throws ERR_NATIVE_MISSING for `true`, when the addon cannot be loaded.
 */
function chosenAddon(native: boolean | undefined, at: string): NativeAddon | undefined {
  if (native === false) return undefined;
  const { addon, error } = loadNative();
  if (addon !== undefined) return addon;
  if (native === true)
    throw nativeError('ERR_NATIVE_MISSING', { received: error?.message ?? 'no reason', at, cause: error });
  const isWanted = process.env.BREZEL_NATIVE !== 'off';
  if (!isWanted || getEnvironmentData(WARNED) === true) return undefined;
  setEnvironmentData(WARNED, true);
  const obstacle = wasmObstacle();
  if (obstacle !== undefined) warnOfReference(`${error?.message}; ${obstacle}`, WITHOUT_WARNING);
  else
    process.emitWarning(
      `Brezel runs plans in WebAssembly, which is about 2 times slower: ${error?.message}. ${WITHOUT_WARNING}`,
      { type: 'BrezelWarning', code: 'BREZEL_NATIVE' },
    );
  return undefined;
}

const WITHOUT_WARNING = 'Pass native: false to run without the addon and without this warning.';

/**
 * Checks that a store is in the memory of the addon, when the option `native` is true.
 *
 * @throws ERR_NATIVE_MISSING
 */
export function checkNativeStore(native: boolean | undefined, store: ObjectStore, at: string): void {
  if (native !== true || store.memory.kind === 'native') return;
  const received = loadNative().error?.message ?? 'a store in JavaScript memory: create it without native: false';
  throw nativeError('ERR_NATIVE_MISSING', { received, at });
}

/**
 * Stores parameter bytes in the addon's memory. This memory is outside the V8 heap. A process
 * stores each parameter once, and all its threads share it.
 */
function nativeMemory(addon: NativeAddon): ParameterMemory {
  return {
    kind: 'native',
    put: (id, bytes) => addon.parameterPut(id, bytes),
    retain: (handle) => addon.parameterRetain(handle),
    release: (handle) => addon.parameterRelease(handle),
    read: (handle) => addon.parameterCopy(handle),
    checksum: (bytes) => addon.parameterChecksum(bytes),
    isSound: (manifest, tables, root) => addon.manifestIsSound(manifest, tables, root),
    range: {
      checksum: (handle, offset, length) => addon.parameterRangeChecksum(handle, offset, length),
      put: (id, handle, offset, length) => addon.parameterPutRange(handle, offset, length, id),
    },
    strings: {
      encode: (bytes, offsets, lengths) => addon.stringsEncode(bytes, offsets, lengths),
      distinct: (strings) => addon.stringsDistinct(strings),
      distinctAt: (bytes, offsets, lengths) => addon.stringsDistinctAt(bytes, offsets, lengths),
      dictionary: (source) => addon.dictionaryBuild(source),
    },
    numbers: {
      areFinite: (numbers) => addon.numbersAreFinite(numbers),
      transpose: (matrix, rows, columns) => addon.numbersTranspose(matrix, rows, columns),
      mirroredHalf: (pairs) => addon.numbersMirroredHalf(pairs),
    },
    wire: {
      numbers: (bytes, at, end, tag, width) => addon.wireNumbers(bytes, at, end, tag, width),
      varints: (bytes, at, end, tag) => addon.wireVarints(bytes, at, end, tag),
      integers: (bytes, ranges, count) => addon.wireIntegers(bytes, ranges, count),
      countStrings: (bytes, at, end, tag) => addon.wireCountStrings(bytes, at, end, tag),
      strings: (bytes, at, end, tag) => addon.wireStrings(bytes, at, end, tag),
    },
    sharing: {
      share: (handle) => handle, // a handle is valid in the whole process
      take(_, handle) {
        addon.parameterRetain(handle as number);
        return handle as number;
      },
    },
    trim: () => addon.trimMemory(),
    ...(addon.fileMap && { mapFile: (...file) => mappedFile(addon, ...file) }),
  };
}

function mappedFile(addon: NativeAddon, descriptor: number, bytes: number, links?: SnapshotLinks): FileBytes {
  const file = addon.fileMap!(descriptor, bytes, links?.own, links?.shared);
  return {
    checksum: (offset, length) => addon.fileChecksum!(file, offset, length),
    isZero: (offset, length) => addon.fileIsZero!(file, offset, length),
    parameter: (offset, length, id, compare) => addon.fileParameter!(file, offset, length, id, compare),
    touch: (offset, length) => addon.fileTouch!(file, offset, length),
    close: () => addon.fileRelease!(file),
  };
}

/**
 * Opens an object store. Its bytes are in the addon's memory if the addon loads, otherwise in
 * SharedArrayBuffers, with one warning for the process (`BREZEL_NATIVE`). Runtimes then copy the
 * parameters of registered plans into WebAssembly.
 *
 * @param options `native: false` does not use the addon. `native: true` requires it.
 * @throws ERR_NATIVE_MISSING for `native: true`, when the addon cannot be loaded.
 * @example
 * const store = await openStore();
 * const flour = await createFlour({ store });
 */
export async function openStore(options: { native?: boolean | undefined } = {}): Promise<ObjectStore> {
  const addon = chosenAddon(options.native, 'openStore');
  return ObjectStore.open(addon ? { memory: nativeMemory(addon) } : {});
}
