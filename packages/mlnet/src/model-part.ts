import type { Archive } from './archive.js';
import { ByteReader } from './byte-reader.js';
import { damaged, mlNetError } from './errors.js';

const HEADER_BYTES = 0x100;
const SIGNATURE = 'ML\0MODEL';
const TAIL_SIGNATURE = 'LEDOM\0LM';
/**
 * The supported versions of the header. The second version adds the name of an assembly, which the
 * importer ignores.
 */
const [OLDEST_HEADER, NEWEST_HEADER] = [0x00010001, 0x00010002];

/** The largest nesting depth of components, because readers visit nested components recursively. */
const DEEPEST = 32;

const latin = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
export const versionText = (version: number) => `0x${version.toString(16).padStart(8, '0')}`;

/**
 * One component of a pipeline: the `Model.key` of a folder. The file contains the loader name, the
 * version, numbers and strings. Nested components are in subfolders.
 *
 * @see Source: ML.NET's ModelHeader.
 */
export class ModelPart extends ByteReader {
  readonly folder: string;
  /** The name of the ML.NET class that reads the component. */
  readonly loader: string;
  /** The version of the component's format that the writer used. */
  readonly version: number;
  /** Readers of this format version and of newer versions can read the component. */
  readonly readable: number;
  readonly #archive: Archive;
  readonly #strings: readonly string[];

  private constructor(archive: Archive, folder: string, entry: string, bytes: Uint8Array, header: Header) {
    super(bytes, entry, HEADER_BYTES, HEADER_BYTES + header.modelBytes);
    this.folder = folder;
    this.loader = header.loader;
    this.version = header.version;
    this.readable = header.readable;
    this.#archive = archive;
    this.#strings = header.strings;
  }

  /**
   * Returns the component in a folder, or undefined if there is none.
   * @throws ERR_MLNET_FORMAT for a damaged component.
   */
  static in(archive: Archive, folder: string): ModelPart | undefined {
    const entry = folder === '' ? 'Model.key' : `${folder}/Model.key`;
    if (folder.split('/').length > DEEPEST) throw damaged(entry, `folders at most ${DEEPEST} deep`, 'deeper ones');
    const bytes = archive.get(entry);
    return bytes && new ModelPart(archive, folder, entry, bytes, readHeader(bytes, entry));
  }

  /** Returns a nested component, or undefined if there is none. */
  child(name: string): ModelPart | undefined {
    return ModelPart.in(this.#archive, this.#below(name));
  }

  /**
   * Returns a nested component.
   * @throws ERR_MLNET_FORMAT if the component is missing or damaged.
   */
  part(name: string): ModelPart {
    const found = this.child(name);
    if (found === undefined) throw damaged(`${this.#below(name)}/Model.key`, 'an entry of the archive', 'none');
    return found;
  }

  /**
   * Subtracts the declared size of a list from the budget of elements. Call this method before you
   * allocate the list.
   * @throws ERR_MLNET_LIMIT
   */
  takeElements(count: number): void {
    this.#archive.takeElements(count, this.at);
  }

  /**
   * Returns the content of another file in the component's folder, or undefined if the file does
   * not exist.
   */
  file(name: string): Uint8Array | undefined {
    return this.#archive.get(this.#below(name));
  }

  #below(name: string): string {
    return this.folder === '' ? name : `${this.folder}/${name}`;
  }

  stringOrNull(): string | undefined {
    const index = this.int();
    if (index === -1) return undefined;
    const found = this.#strings[index];
    if (found === undefined) throw this.fail(`one of ${this.#strings.length} strings`, `${index}`);
    return found;
  }

  string(): string {
    const found = this.stringOrNull();
    if (found === undefined) throw this.fail('a string', 'none');
    return found;
  }

  /**
   * Reads the size of a float in bytes, which is the first number of old components. Throws if it
   * is not 4.
   */
  floatSize(): void {
    const size = this.int();
    if (size !== 4) throw this.fail('floats of 4 bytes', `${size}`);
  }

  /**
   * Returns this component if the importer supports its version.
   * @throws ERR_MLNET_UNSUPPORTED if it needs a reader newer than `newest`.
   */
  upTo(newest: number): this {
    if (this.readable <= newest) return this;
    throw mlNetError('ERR_MLNET_UNSUPPORTED', {
      expected: `version ${versionText(newest)} or older`,
      received: `${this.loader} of version ${versionText(this.readable)}`,
      at: this.at,
    });
  }
}

interface Header {
  readonly loader: string;
  readonly version: number;
  readonly readable: number;
  readonly modelBytes: number;
  readonly strings: readonly string[];
}

function readHeader(bytes: Uint8Array, at: string): Header {
  const header = new ByteReader(bytes, at);
  if (latin(header.bytes(8)) !== SIGNATURE) throw damaged(`${at}, byte 0`, 'the signature ML MODEL', 'another one');
  const [written, needed] = [header.uint(), header.uint()];
  if (!(needed <= NEWEST_HEADER && written >= OLDEST_HEADER && needed <= written))
    throw header.fail('a header of version 1.1 or 1.2', versionText(needed));
  const [model, modelBytes, table, tableBytes, chars, charBytes] = Array.from({ length: 6 }, () => header.long());
  header.bytes(8); // the signature of the component; its loader is more specific
  const [version, readable] = [header.uint(), header.uint()];
  const loader = latin(header.bytes(24)).replace(/\0+$/, '');
  header.bytes(24); // the loader's older name
  const tail = header.long();
  if (model !== HEADER_BYTES || HEADER_BYTES + modelBytes! > tail || tail + 8 > bytes.length)
    throw damaged(`${at}, byte 16`, `a model of ${bytes.length} bytes or less`, `${modelBytes} at ${model}`);
  if (latin(bytes.subarray(tail, tail + 8)) !== TAIL_SIGNATURE)
    throw damaged(`${at}, byte ${tail}`, 'the signature at the end', 'another one');
  const strings = readStrings(bytes.subarray(0, tail), at, [table!, tableBytes!], [chars!, charBytes!]);
  return { loader, version, readable, modelBytes: modelBytes!, strings };
}

/**
 * Reads a table of strings. The table starts with the end offset of each string in bytes; the
 * UTF-16 characters of all strings follow.
 */
function readStrings(
  bytes: Uint8Array,
  at: string,
  [table, tableBytes]: readonly [number, number],
  [chars, charBytes]: readonly [number, number],
): string[] {
  if (table + tableBytes > bytes.length || chars + charBytes > bytes.length || tableBytes % 8 !== 0)
    throw damaged(`${at}, byte 32`, 'strings inside of the file', `${tableBytes} bytes at ${table}`);
  const ends = new ByteReader(bytes, at, table, table + tableBytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + chars, charBytes);
  const strings: string[] = [];
  for (let start = 0; ends.left > 0; ) {
    const end = ends.long();
    if (end < start || end > charBytes || end % 2 !== 0)
      throw ends.fail(`the end of a string, ${start} to ${charBytes}`, `${end}`);
    strings.push(text.toString('utf16le', start, end));
    start = end;
  }
  return strings;
}
