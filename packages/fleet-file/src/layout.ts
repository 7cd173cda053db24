import type { Checksum } from '@brezel/object-store';
import { storeError } from '@brezel/object-store';

// Layout of a fleet file, little endian:
//
//   0    magic, format version, sizes, checksum of the manifest, checksum of the header
//   128  blobs: parameter bytes, each at a multiple of 64, with zeros between them
//        at least 64 zeros: kernels may read that far after a parameter
//        manifest (fleet.fbs), from a multiple of 64 to the end of the file
//        last in the manifest of a signed file: the signature (signature/trailer.ts)

/**
 * Version of the format. It is incremented when older readers cannot read new files. New readers
 * always read older files.
 */
export const FORMAT_VERSION = 1;

export const HEADER_BYTES = 128;
export const ALIGNMENT = 64;

/**
 * The first bytes of a fleet file. They are not text and belong to no other file format. They
 * contain line endings that a text-mode copy would change.
 */
const MAGIC = Buffer.from([0x89, 0x42, 0x52, 0x5a, 0x4c, 0x0d, 0x0a, 0x1a]);
/** Number of hexadecimal digits of a checksum in a file. */
export const CHECKSUM_DIGITS = 32;

const headerOffsets = {
  magic: 0,
  version: 8,
  headerBytes: 12,
  totalBytes: 16,
  manifestOffset: 24,
  manifestBytes: 32,
  manifestChecksum: 40,
  reserved: 72,
  headerChecksum: HEADER_BYTES - CHECKSUM_DIGITS,
} as const;

/**
 * Number of header bytes that a signature covers: the magic bytes, the version and the sizes. A
 * signature cannot cover the checksums in the header, because they depend on the signature.
 */
export const SIGNED_HEADER_BYTES = headerOffsets.manifestChecksum;

/** The fields in the header of a fleet file. */
export interface FileHeader {
  readonly totalBytes: number;
  readonly manifestOffset: number;
  readonly manifestBytes: number;
  readonly manifestChecksum: string;
}

type ChecksumFunctions = Pick<Checksum, 'of'>;

/** Rounds up to a multiple of 64. */
export const align = (bytes: number) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Returns whether a file that starts with these bytes is a fleet file of any version. */
export const isFleetFile = (start: Uint8Array) => MAGIC.equals(start.subarray(0, MAGIC.length));

export function encodeHeader(header: FileHeader, checksum: Checksum): Uint8Array {
  const bytes = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(FORMAT_VERSION, headerOffsets.version);
  bytes.writeUInt32LE(HEADER_BYTES, headerOffsets.headerBytes);
  bytes.writeBigUInt64LE(BigInt(header.totalBytes), headerOffsets.totalBytes);
  bytes.writeBigUInt64LE(BigInt(header.manifestOffset), headerOffsets.manifestOffset);
  bytes.writeBigUInt64LE(BigInt(header.manifestBytes), headerOffsets.manifestBytes);
  bytes.write(header.manifestChecksum, headerOffsets.manifestChecksum, 'latin1');
  bytes.write(checksum.of(bytes.subarray(0, headerOffsets.headerChecksum)), headerOffsets.headerChecksum, 'latin1');
  return bytes;
}

/**
 * Reads and checks the header. `fileBytes` is the actual size of the file.
 *
 * @throws ERR_STORE_FORMAT when the file is not a fleet file or its sizes are impossible;
 * ERR_STORE_VERSION; ERR_STORE_DAMAGED.
 */
export function decodeHeader(start: Buffer, fileBytes: number, at: string, checksum: ChecksumFunctions): FileHeader {
  if (!isFleetFile(start))
    throw storeError('ERR_STORE_FORMAT', { expected: 'a fleet file', received: 'another format', at });
  const short = (expected: number) =>
    storeError('ERR_STORE_DAMAGED', { expected: `${expected} bytes`, received: `${fileBytes}`, at });
  if (start.length < HEADER_BYTES) throw short(HEADER_BYTES);
  const version = start.readUInt32LE(headerOffsets.version);
  if (version !== FORMAT_VERSION) {
    const expected = `format version ${FORMAT_VERSION}`;
    throw storeError('ERR_STORE_VERSION', { expected, received: `${version}`, at });
  }
  const text = (from: number) => start.toString('latin1', from, from + CHECKSUM_DIGITS);
  if (checksum.of(start.subarray(0, headerOffsets.headerChecksum)) !== text(headerOffsets.headerChecksum))
    throw storeError('ERR_STORE_DAMAGED', { received: 'a header that does not match its checksum', at });
  const header = {
    totalBytes: Number(start.readBigUInt64LE(headerOffsets.totalBytes)),
    manifestOffset: Number(start.readBigUInt64LE(headerOffsets.manifestOffset)),
    manifestBytes: Number(start.readBigUInt64LE(headerOffsets.manifestBytes)),
    manifestChecksum: text(headerOffsets.manifestChecksum),
  };
  if (header.totalBytes !== fileBytes) throw short(header.totalBytes);
  const { manifestOffset, manifestBytes } = header;
  const isSound =
    start.readUInt32LE(headerOffsets.headerBytes) === HEADER_BYTES &&
    start.subarray(headerOffsets.reserved, headerOffsets.headerChecksum).every((byte) => byte === 0) &&
    manifestOffset >= HEADER_BYTES + ALIGNMENT &&
    manifestOffset % ALIGNMENT === 0 &&
    manifestBytes > 0 &&
    manifestBytes <= MAX_MANIFEST_BYTES &&
    manifestOffset + manifestBytes === fileBytes;
  if (!isSound) throw storeError('ERR_STORE_FORMAT', { received: 'a header with impossible sizes', at });
  return header;
}

/**
 * The largest manifest that the FlatBuffers builder can write, because its offsets are signed
 * 32-bit integers.
 */
const MAX_MANIFEST_BYTES = 2 ** 30;
