import { HEADER_BYTES, SIGNED_HEADER_BYTES } from '../layout.js';

// A signed file ends with a trailer. The trailer is in the range of the manifest, after the
// FlatBuffer. So readers that do not support signatures skip it, and the checksum of the manifest
// covers it.
//
//   0    Ed25519 signature
//   64   SHA-256 of the public key in DER form
//   96   version of the signature (1), then 4 zero bytes
//   104  magic

export const TRAILER_BYTES = 112;

const offsets = { signature: 0, fingerprint: 64, version: 96, reserved: 100, magic: 104 } as const;
const VERSION = 1;
const MAGIC = Buffer.from([0x89, 0x42, 0x52, 0x5a, 0x53, 0x49, 0x47, 0x0a]);

export interface Trailer {
  readonly signature: Uint8Array;
  readonly fingerprint: Uint8Array;
}

export function encodeTrailer({ signature, fingerprint }: Trailer): Buffer {
  const bytes = Buffer.alloc(TRAILER_BYTES);
  bytes.set(signature, offsets.signature);
  bytes.set(fingerprint, offsets.fingerprint);
  bytes.writeUInt32LE(VERSION, offsets.version);
  bytes.set(MAGIC, offsets.magic);
  return bytes;
}

/** Returns the trailer of a file. Returns undefined if the file has no trailer of this version. */
export function decodeTrailer(content: {
  readonly size: number;
  read(offset: number, length: number): Buffer;
}): Trailer | undefined {
  if (content.size < HEADER_BYTES + TRAILER_BYTES) return undefined;
  const bytes = content.read(content.size - TRAILER_BYTES, TRAILER_BYTES);
  const isKnown =
    MAGIC.equals(bytes.subarray(offsets.magic)) &&
    bytes.readUInt32LE(offsets.version) === VERSION &&
    bytes.readUInt32LE(offsets.reserved) === 0;
  if (!isKnown) return undefined;
  return {
    signature: bytes.subarray(offsets.signature, offsets.fingerprint),
    fingerprint: bytes.subarray(offsets.fingerprint, offsets.version),
  };
}

/**
 * Returns the ranges of a file that a signature covers: all bytes except the trailer and the last
 * part of the header (checksums and zeros). The checksums are excluded because the checksum of the
 * manifest depends on the trailer.
 */
export const signedRanges = (size: number): readonly (readonly [start: number, end: number])[] => [
  [0, SIGNED_HEADER_BYTES],
  [HEADER_BYTES, size - TRAILER_BYTES],
];

/**
 * Returns the message that an Ed25519 key signs. The first line of the message distinguishes it
 * from messages that other software signs with the same key.
 */
export const messageOf = (fingerprint: Uint8Array, digest: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from('brezel fleet signature 1\n'), fingerprint, digest]);
