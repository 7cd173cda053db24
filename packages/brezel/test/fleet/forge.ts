import { readFileSync, writeFileSync } from 'node:fs';
import { Checksum } from '@brezel/object-store';
import { Builder, ByteBuffer } from 'flatbuffers';
import { Fleet, type FleetT } from '../../../object-store/src/artifact/generated/fleet.js';
import { decodeHeader, encodeHeader } from '../../../object-store/src/artifact/layout.js';

// Fleet files that lie and are whole all the same: every checksum is right, as an attacker would make them.

const checksum = await Checksum.create();

export interface Parts {
  /** Header and parameters. */
  readonly front: Buffer;
  readonly manifest: Buffer;
}

export function partsOf(path: string): Parts {
  const bytes = readFileSync(path);
  const { manifestOffset } = decodeHeader(bytes, bytes.length, path, checksum);
  return { front: bytes.subarray(0, manifestOffset), manifest: bytes.subarray(manifestOffset) };
}

/** Writes a file of these parts, with a header that fits them. */
export function join(path: string, { front, manifest }: Parts): void {
  const header = encodeHeader(
    {
      totalBytes: front.length + manifest.length,
      manifestOffset: front.length,
      manifestBytes: manifest.length,
      manifestChecksum: checksum.of(manifest),
    },
    checksum,
  );
  writeFileSync(path, Buffer.concat([header, front.subarray(header.length), manifest]));
}

export const unpack = (manifest: Uint8Array): FleetT => Fleet.getRootAsFleet(new ByteBuffer(manifest)).unpack();

export function pack(fleet: FleetT): Buffer {
  const builder = new Builder();
  builder.finish(fleet.pack(builder));
  return Buffer.from(builder.asUint8Array());
}

/** The file with its manifest changed. */
export function forge(from: string, to: string, change: (fleet: FleetT) => void): void {
  const { front, manifest } = partsOf(from);
  const fleet = unpack(manifest);
  change(fleet);
  join(to, { front, manifest: pack(fleet) });
}

/** The file with the bytes of a parameter changed, and its checksum put right. */
export function forgeBlob(from: string, to: string, number: number, change: (bytes: Buffer) => void): void {
  const parts = partsOf(from);
  const fleet = unpack(parts.manifest);
  const blob = fleet.blobs[number]!;
  const front = Buffer.from(parts.front);
  const bytes = front.subarray(Number(blob.offset), Number(blob.offset + blob.length));
  change(bytes);
  blob.checksum = checksum.of(bytes);
  join(to, { front, manifest: pack(fleet) });
}
