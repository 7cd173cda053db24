import { closeSync, constants, fstatSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';

// The file of a code cache: MAGIC, a checksum of all bytes after the checksum, and the length of
// the index; then the index (JSON: a list of Item); then the compiled code of each item.

/** Compiled code of one source file. */
export interface CompiledCode {
  readonly name: string;
  /**
   * Size and modification time of the source file. If they differ from the file on disk, the loader
   * compiles the file again.
   */
  readonly source: string;
  readonly code: Uint8Array;
}

interface Item {
  readonly name: string;
  readonly source: string;
  readonly bytes: number;
}

const MAGIC = 0x315a5242; // "BRZ1"
const HEADER = 12;
const MAX_BYTES = 2 ** 28;
/** Mode bits that allow the group or all users to write to a file. */
const OTHERS_WRITE = 0o022;

/**
 * Reads a code cache. Returns undefined if the file is missing or damaged, or if another user could
 * have written it: a symbolic link, a file of another user, or a file that other users can write.
 */
export function readCache(path: string): CompiledCode[] | undefined {
  try {
    const bytes = readOwn(path);
    return bytes && decoded(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Reads a regular file that only the current user can write, and returns undefined for other files.
 * The checks use the open file descriptor, so another process cannot replace the file between the
 * checks and the read.
 */
function readOwn(path: string): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    const isSafe = stats.isFile() && stats.uid === process.geteuid?.() && (stats.mode & OTHERS_WRITE) === 0;
    if (!isSafe || stats.size < HEADER || stats.size > MAX_BYTES) return undefined;
    const bytes = Buffer.allocUnsafeSlow(stats.size);
    return readSync(file, bytes, 0, stats.size, 0) === stats.size ? bytes : undefined;
  } finally {
    closeSync(file);
  }
}

function decoded(bytes: Buffer): CompiledCode[] | undefined {
  if (bytes.readUInt32LE(0) !== MAGIC || bytes.readUInt32LE(4) !== checksum(bytes.subarray(8))) return undefined;
  let at = HEADER + bytes.readUInt32LE(8);
  const items = JSON.parse(bytes.toString('utf8', HEADER, at)) as readonly Item[];
  return items.map(({ name, source, bytes: length }) => {
    at += length;
    return { name, source, code: bytes.subarray(at - length, at) };
  });
}

/**
 * Writes a code cache. The write is atomic: other processes read either the old file or the whole
 * new file.
 */
export function writeCache(path: string, codes: readonly CompiledCode[]): void {
  const items = codes.map(({ name, source, code }): Item => ({ name, source, bytes: code.length }));
  const index = Buffer.from(JSON.stringify(items));
  const bytes = Buffer.concat([Buffer.alloc(HEADER), index, ...codes.map(({ code }) => code)]);
  bytes.writeUInt32LE(MAGIC, 0);
  bytes.writeUInt32LE(index.length, 8);
  bytes.writeUInt32LE(checksum(bytes.subarray(8)), 4);
  const temporary = `${path}.${process.pid}-${process.hrtime.bigint()}.tmp`;
  try {
    writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Returns a checksum that finds damaged bytes, because V8 checks only the length of cached code.
 * The code is plain JavaScript, because loading `node:crypto` or `node:zlib` takes 4 ms.
 */
export function checksum(bytes: Buffer): number {
  const words = bytes.length >>> 2;
  const aligned =
    bytes.byteOffset % 4 === 0
      ? new Uint32Array(bytes.buffer, bytes.byteOffset, words)
      : new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + words * 4));
  let sum = bytes.length | 0;
  for (let index = 0; index < words; index++) sum = Math.imul(sum ^ aligned[index]!, 0x01000193);
  for (let index = words * 4; index < bytes.length; index++) sum = Math.imul(sum ^ bytes[index]!, 0x01000193);
  return sum >>> 0;
}
