import { inflateRawSync } from 'node:zlib';
import { crc32 } from './crc32.js';
import { damaged, unsupported } from './errors.js';

// A ZIP reader for hostile files. Libraries unpack more bytes than an entry declares, or do not
// compare its checksum. This reader reads the central directory, and rejects an entry that differs
// from it.

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
const MAX_COMMENT = 0xffff;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
const UTF8 = 0x800;
/** The value of a 32-bit field whose real number is in a ZIP64 record. */
const ZIP64 = 0xffffffff;

/** An entry of the central directory. */
export interface ZipEntry {
  readonly name: string;
  /** The unpacked size in bytes that the directory declares. */
  readonly size: number;
  readonly packedSize: number;
  readonly method: number;
  readonly crc: number;
  /** The offset of the entry's local header in the archive. */
  readonly position: number;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const notZip = (received: string) => damaged('the archive', 'a ZIP file', received);
const nameOf = (bytes: Uint8Array, isUtf8: boolean) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(isUtf8 ? 'utf8' : 'latin1');

/**
 * Yields the entries of the central directory.
 *
 * @throws ERR_MLNET_FORMAT for a damaged archive; ERR_MLNET_UNSUPPORTED for ZIP64 and for
 * encrypted entries.
 */
export function* zipEntries(bytes: Uint8Array): Generator<ZipEntry> {
  const view = viewOf(bytes);
  const end = endOfDirectory(view);
  const count = view.getUint16(end + 10, true);
  const [size, start] = [view.getUint32(end + 12, true), view.getUint32(end + 16, true)];
  if (start === ZIP64 || size === ZIP64 || count === 0xffff) throw unsupported('the archive', 'ZIP64');
  if (start + size > end) throw notZip(`a directory of ${size} bytes at byte ${start}`);
  let at = start;
  for (let entry = 0; entry < count; entry++) {
    if (at + CENTRAL_BYTES > end || view.getUint32(at, true) !== CENTRAL) throw notZip(`no entry ${entry}`);
    const [nameBytes, extraBytes] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true)];
    const next = at + CENTRAL_BYTES + nameBytes + extraBytes + view.getUint16(at + 32, true);
    if (next > end) throw notZip(`an entry ${entry} that is cut off`);
    const flags = view.getUint16(at + 8, true);
    const name = nameOf(bytes.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes), (flags & UTF8) !== 0);
    if (flags & ENCRYPTED) throw unsupported(shownEntry(name), 'an encrypted entry');
    yield {
      name,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      position: view.getUint32(at + 42, true),
    };
    at = next;
  }
}

/**
 * Returns the offset of the end record of the central directory. Only a comment may follow this
 * record.
 */
function endOfDirectory(view: DataView): number {
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT); at--)
    if (view.getUint32(at, true) === END && at + END_BYTES + view.getUint16(at + 20, true) === view.byteLength)
      return at;
  throw notZip('no directory at its end');
}

const LONGEST_NAME = 100;
export const shownEntry = (name: string) => `entry ${JSON.stringify(name.slice(0, LONGEST_NAME))}`;

/**
 * Returns the content of an entry. Unpacking stops at the declared size.
 *
 * @throws ERR_MLNET_FORMAT when size, checksum or name differ from the directory;
 * ERR_MLNET_UNSUPPORTED for an unknown compression method.
 */
export function unpack(bytes: Uint8Array, entry: ZipEntry): Uint8Array {
  const at = shownEntry(entry.name);
  const packed = packedBytes(bytes, entry, at);
  const content = entry.method === STORED ? packed.slice() : inflated(packed, entry, at);
  if (content.length !== entry.size) throw damaged(at, `${entry.size} bytes`, `${content.length}`);
  const crc = crc32(content);
  if (crc !== entry.crc) throw damaged(at, `content of CRC-32 ${hex(entry.crc)}`, hex(crc));
  return content;
}

const hex = (crc: number) => crc.toString(16).padStart(8, '0');

function packedBytes(bytes: Uint8Array, { name, position, packedSize }: ZipEntry, at: string): Uint8Array {
  const view = viewOf(bytes);
  if (position + LOCAL_BYTES > bytes.length || view.getUint32(position, true) !== LOCAL)
    throw damaged(at, `a header at byte ${position}`, 'none');
  const isUtf8 = (view.getUint16(position + 6, true) & UTF8) !== 0;
  const nameStart = position + LOCAL_BYTES;
  const nameEnd = nameStart + view.getUint16(position + 26, true);
  const start = nameEnd + view.getUint16(position + 28, true);
  if (nameOf(bytes.subarray(nameStart, nameEnd), isUtf8) !== name)
    throw damaged(at, 'the same name in its header', 'another one');
  if (start + packedSize > bytes.length)
    throw damaged(at, `${packedSize} bytes at byte ${start}`, 'the end of the file');
  return bytes.subarray(start, start + packedSize);
}

function inflated(packed: Uint8Array, { method, size }: ZipEntry, at: string): Uint8Array {
  if (method !== DEFLATED) throw unsupported(at, `compression method ${method}`);
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  } catch (cause) {
    const isLonger = (cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    throw damaged(at, `${size} bytes`, isLonger ? 'more' : `damaged data: ${(cause as Error).message}`);
  }
}
