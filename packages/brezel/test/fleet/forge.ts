import { readFileSync, writeFileSync } from 'node:fs';
import { Checksum } from '@brezel/object-store';
import { Builder, ByteBuffer } from 'flatbuffers';
import type { BlobsT } from '../../../fleet-file/src/generated/blobs.js';
import { Fleet, type FleetT } from '../../../fleet-file/src/generated/fleet.js';
import { Golden, type GoldenT } from '../../../fleet-file/src/generated/golden.js';
import type { PlanT } from '../../../fleet-file/src/generated/plan.js';
import { ALIGNMENT, decodeHeader, encodeHeader } from '../../../fleet-file/src/layout.js';

// Builds forged fleet files with false contents and correct checksums, as an attacker would build
// them.

const checksum = await Checksum.create();

export interface Parts {
  /** The header and the parameters. */
  readonly front: Buffer;
  readonly manifest: Buffer;
}

export function partsOf(path: string): Parts {
  const bytes = readFileSync(path);
  const { manifestOffset } = decodeHeader(bytes, bytes.length, path, checksum);
  return { front: bytes.subarray(0, manifestOffset), manifest: bytes.subarray(manifestOffset) };
}

/** Writes a file with these parts, and with a header that matches the parts. */
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

export function pack(table: FleetT | GoldenT): Buffer {
  const builder = new Builder();
  builder.finish(table.pack(builder));
  return Buffer.from(builder.asUint8Array());
}

export const blobsOf = ({ blobs }: FleetT): BlobsT => blobs!;

/** The number of digits of a checksum. */
const DIGITS = 32;

export const checksumAt = ({ checksums }: BlobsT, number: number): string =>
  (checksums as string).slice(DIGITS * number, DIGITS * (number + 1));

export function setChecksum(blobs: BlobsT, number: number, digits: string): void {
  const all = blobs.checksums as string;
  blobs.checksums = all.slice(0, DIGITS * number) + digits + all.slice(DIGITS * (number + 1));
}

/** Changes the golden rows of a plan. */
export function forgeGolden(plan: PlanT, change: (golden: GoldenT) => void): void {
  const golden = Golden.getRootAsGolden(new ByteBuffer(Uint8Array.from(plan.golden))).unpack();
  change(golden);
  plan.golden = [...pack(golden)];
}

/** Writes a copy of the file with a changed manifest. */
export function forge(from: string, to: string, change: (fleet: FleetT) => void): void {
  const { front, manifest } = partsOf(from);
  const fleet = unpack(manifest);
  change(fleet);
  join(to, { front, manifest: pack(fleet) });
}

/** Writes a copy of the file with changed bytes of a parameter and the matching checksum. */
export function forgeBlob(from: string, to: string, number: number, change: (bytes: Buffer) => void): void {
  const parts = partsOf(from);
  const fleet = unpack(parts.manifest);
  const blobs = blobsOf(fleet);
  const front = Buffer.from(parts.front);
  const bytes = front.subarray(blobs.offsets[number]!, blobs.offsets[number]! + blobs.lengths[number]!);
  change(bytes);
  setChecksum(blobs, number, checksum.of(bytes));
  join(to, { front, manifest: pack(fleet) });
}

/**
 * Writes a copy of the file in which a parameter with one axis has one more element, zero, with the
 * correct checksum and length. Returns false, and writes nothing, if the file has no space for the
 * element.
 */
export function lengthenBlob(from: string, to: string, number: number, width: number): boolean {
  const parts = partsOf(from);
  const fleet = unpack(parts.manifest);
  const blobs = blobsOf(fleet);
  const [offset, bytes] = [blobs.offsets[number]!, blobs.lengths[number]!];
  const room = (ALIGNMENT - (bytes % ALIGNMENT)) % ALIGNMENT;
  if (blobs.ranks[number] !== 1 || room < width) return false;
  const axis = blobs.ranks.slice(0, number).reduce((sum, rank) => sum + rank, 0);
  blobs.axes[axis]! += 1;
  blobs.lengths[number] = bytes + width;
  setChecksum(blobs, number, checksum.of(parts.front.subarray(offset, offset + bytes + width)));
  join(to, { front: parts.front, manifest: pack(fleet) });
  return true;
}
