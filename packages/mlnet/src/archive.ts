import { damaged } from './errors.js';
import { type MlNetLimits, within } from './options.js';
import { shownEntry, unpack, type ZipEntry, zipEntries } from './zip.js';

/**
 * Matches the paths of the entries that the importer reads: models, schemas and the version of the
 * writer.
 */
const READ = /(^|\/)(Model\.key|Schema|TrainSchema|Schema\.idv|Version\.txt)$/;

/**
 * Each unpacked byte increases the limit `elements` by this number. A list whose elements are in
 * the archive therefore never exceeds the limit. Only a list that declares more elements than the
 * archive contains can exceed it.
 */
const ELEMENTS_PER_BYTE = 2;

/** The unpacked files of an archive by path, with `/` between folders on every system. */
export class Archive {
  readonly #files: ReadonlyMap<string, Uint8Array>;
  readonly #maxElements: number;
  #elements = 0;

  constructor(files: ReadonlyMap<string, Uint8Array>, limits: MlNetLimits) {
    this.#files = files;
    const unpacked = [...files.values()].reduce((sum, { length }) => sum + length, 0);
    this.#maxElements = limits.elements + ELEMENTS_PER_BYTE * unpacked;
  }

  get(path: string): Uint8Array | undefined {
    return this.#files.get(path);
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /**
   * Subtracts the declared size of a list from the budget of elements. Call this method before you
   * allocate the list.
   * @throws ERR_MLNET_LIMIT
   */
  takeElements(count: number, at: string): void {
    within({ elements: this.#maxElements }, 'elements', this.#elements + count, at);
    this.#elements += count;
  }
}

/**
 * Unpacks an archive within limits. Declared sizes are checked before anything is unpacked, and
 * unpacking stops at the declared size.
 *
 * @throws ERR_MLNET_LIMIT; ERR_MLNET_FORMAT with the name of the entry; ERR_MLNET_UNSUPPORTED.
 */
export function openArchive(bytes: Uint8Array, limits: MlNetLimits): Archive {
  within(limits, 'fileBytes', bytes.length);
  const entries = new Map<string, ZipEntry>();
  let [count, unpacked] = [0, 0];
  for (const entry of zipEntries(bytes)) {
    within(limits, 'entries', ++count);
    const path = pathOf(entry.name);
    if (!READ.test(path)) continue;
    if (entries.has(path)) throw damaged(shownEntry(path), 'each path once', 'twice');
    entries.set(path, entry);
    unpacked += entry.size;
    within(limits, 'unpackedBytes', unpacked);
  }
  return new Archive(new Map(Array.from(entries, ([path, entry]) => [path, unpack(bytes, entry)])), limits);
}

function pathOf(name: string): string {
  const path = name.replaceAll('\\', '/');
  const isPlain = !path.includes('\0') && path.split('/').every((part) => part !== '..' && part !== '.');
  if (isPlain && !path.startsWith('/')) return path;
  throw damaged(shownEntry(name), 'a path inside the archive', 'a path that leaves it');
}
