import type { Checksum } from '@brezel/object-store';
import { storeError } from '@brezel/object-store';

// A fleet file, little endian:
//
//   0    magic, format version, sizes, checksum of the manifest, checksum of the header     128 bytes
//   128  blobs: parameter bytes, each from a multiple of 64 on, zeros between them
//        at least 64 zeros: kernels may read that far behind a parameter
//        manifest (fleet.fbs), from a multiple of 64 on to the end of the file

/** Raised when older readers cannot read what is written. Older files stay readable for ever. */
export const FORMAT_VERSION = 1;

export const HEADER_BYTES = 128;
export const ALIGNMENT = 64;

/** No text, no other format, and newlines that a careless copy would change. */
const MAGIC = Buffer.from([0x89, 0x42, 0x52, 0x5a, 0x4c, 0x0d, 0x0a, 0x1a]);
/** Of a checksum in a file. */
export const CHECKSUM_DIGITS = 32;

const place = {
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

/** What the header of a fleet file says. */
export interface FileHeader {
  readonly totalBytes: number;
  readonly manifestOffset: number;
  readonly manifestBytes: number;
  readonly manifestChecksum: string;
}

/** Who computes checksums. */
type Sums = Pick<Checksum, 'of'>;

/** The next multiple of 64. */
export const align = (bytes: number) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Whether a file that starts with these bytes is a fleet file, of any version. */
export const isFleetFile = (start: Uint8Array) => MAGIC.equals(start.subarray(0, MAGIC.length));

export function encodeHeader(header: FileHeader, checksum: Checksum): Uint8Array {
  const bytes = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(FORMAT_VERSION, place.version);
  bytes.writeUInt32LE(HEADER_BYTES, place.headerBytes);
  bytes.writeBigUInt64LE(BigInt(header.totalBytes), place.totalBytes);
  bytes.writeBigUInt64LE(BigInt(header.manifestOffset), place.manifestOffset);
  bytes.writeBigUInt64LE(BigInt(header.manifestBytes), place.manifestBytes);
  bytes.write(header.manifestChecksum, place.manifestChecksum, 'latin1');
  bytes.write(checksum.of(bytes.subarray(0, place.headerChecksum)), place.headerChecksum, 'latin1');
  return bytes;
}

/**
 * Reads and checks the header. `fileBytes` is what the file really has.
 *
 * @throws ERR_STORE_FORMAT when this is no fleet file or its sizes are impossible; ERR_STORE_VERSION; ERR_STORE_DAMAGED.
 */
export function decodeHeader(start: Buffer, fileBytes: number, at: string, checksum: Sums): FileHeader {
  if (!isFleetFile(start)) throw storeError('ERR_STORE_FORMAT', { expected: 'a fleet file', received: 'another', at });
  const short = (expected: number) =>
    storeError('ERR_STORE_DAMAGED', { expected: `${expected} bytes`, received: `${fileBytes}`, at });
  if (start.length < HEADER_BYTES) throw short(HEADER_BYTES);
  const version = start.readUInt32LE(place.version);
  if (version !== FORMAT_VERSION) {
    const expected = `format version ${FORMAT_VERSION}`;
    throw storeError('ERR_STORE_VERSION', { expected, received: `${version}`, at });
  }
  const text = (from: number) => start.toString('latin1', from, from + CHECKSUM_DIGITS);
  if (checksum.of(start.subarray(0, place.headerChecksum)) !== text(place.headerChecksum))
    throw storeError('ERR_STORE_DAMAGED', { received: 'a header of another checksum', at });
  const header = {
    totalBytes: Number(start.readBigUInt64LE(place.totalBytes)),
    manifestOffset: Number(start.readBigUInt64LE(place.manifestOffset)),
    manifestBytes: Number(start.readBigUInt64LE(place.manifestBytes)),
    manifestChecksum: text(place.manifestChecksum),
  };
  if (header.totalBytes !== fileBytes) throw short(header.totalBytes);
  const { manifestOffset, manifestBytes } = header;
  const isSound =
    start.readUInt32LE(place.headerBytes) === HEADER_BYTES &&
    start.subarray(place.reserved, place.headerChecksum).every((byte) => byte === 0) &&
    manifestOffset >= HEADER_BYTES + ALIGNMENT &&
    manifestOffset % ALIGNMENT === 0 &&
    manifestBytes > 0 &&
    manifestBytes <= MAX_MANIFEST_BYTES &&
    manifestOffset + manifestBytes === fileBytes;
  if (!isSound) throw storeError('ERR_STORE_FORMAT', { received: 'a header with impossible sizes', at });
  return header;
}

/** FlatBuffers hold signed 32-bit offsets. */
const MAX_MANIFEST_BYTES = 2 ** 30;
