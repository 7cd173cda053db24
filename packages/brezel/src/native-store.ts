import { createRequire } from 'node:module';
import type { NativeAddon } from '@brezel/native';
import { type FileBytes, ObjectStore, type ParameterMemory, type SnapshotLinks } from '@brezel/object-store';

// Loads the addon, and opens stores whose bytes are in the addon's memory.

const require = createRequire(import.meta.url);

/** Returns the addon, or the error that says why it could not be loaded and what to do. */
export function loadNative(): { readonly addon?: NativeAddon; readonly error?: Error } {
  return require('@brezel/native');
}

/**
 * Stores parameter bytes in the addon's memory. It is outside V8, with one copy for each process,
 * and all threads share it.
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
      dictionary: (source) => addon.dictionaryBuild(source),
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
 * SharedArrayBuffers.
 *
 * @example
 * const store = await openStore();
 * const flour = await createFlour({ store });
 */
export async function openStore(options: { native?: boolean | undefined } = {}): Promise<ObjectStore> {
  const { addon } = options.native === false ? {} : loadNative();
  return ObjectStore.open(addon ? { memory: nativeMemory(addon) } : {});
}
