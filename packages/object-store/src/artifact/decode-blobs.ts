import { bytesPerElement } from '@brezel/core';
import { parameterId } from '../store.js';
import type { PlacedBlob } from './encode.js';
import { fault } from './fault.js';
import { ALIGNMENT, CHECKSUM_DIGITS, HEADER_BYTES } from './layout.js';
import { type ManifestReader, places } from './manifest-reader.js';
import { blobDtypes } from './numbering.js';

/** Most bytes without meaning: holes in a file cost nothing, but checking them does. */
const MAX_GAP = 2 ** 16;
const HEXADECIMAL = /^[0-9a-f]*$/;

/** Blobs in the order of the file. `end`: where the blob section ends. */
export function decodeBlobs(reader: ManifestReader, end: number, at: string): PlacedBlob[] {
  const columns = blobColumns(reader, at);
  const decoded: PlacedBlob[] = [];
  let free = HEADER_BYTES;
  for (let number = 0, axis = 0; number < columns.dtypes.length; number++) {
    const shape: number[] = [];
    for (const end = axis + columns.ranks[number]!; axis < end; axis++) shape.push(columns.axes[axis]!);
    const blob = decodeBlob(columns, number, shape, at);
    const { offset, bytes } = blob;
    if (offset < free || offset > free + MAX_GAP || offset % ALIGNMENT !== 0 || offset + bytes + ALIGNMENT > end)
      fault(
        `${at}, blob ${number}`,
        `${bytes} bytes from ${offset} on`,
        `a multiple of ${ALIGNMENT} from ${free} on, and an end before ${end}`,
      );
    free = offset + bytes;
    decoded.push(blob);
  }
  if (free + MAX_GAP < end) fault(at, `${end - free} bytes behind the parameters`, `at most ${MAX_GAP}`);
  return decoded;
}

interface BlobColumns {
  readonly dtypes: Uint8Array;
  readonly ranks: Uint8Array;
  readonly axes: Float64Array;
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
  readonly checksums: string;
}

/** Columns that fit together. */
function blobColumns(reader: ManifestReader, at: string): BlobColumns {
  const table = reader.table(reader.root, places.Fleet.blobs);
  if (table === 0) fault(`${at}, blobs`, 'nothing', 'a table');
  const { dtypes: types, ranks: ranked, axes: sizes, offsets: starts, lengths: ends, checksums: sums } = places.Blobs;
  const dtypes = reader.bytes(table, types);
  const ranks = reader.bytes(table, ranked);
  const axes = reader.doubles(table, sizes);
  const offsets = reader.doubles(table, starts);
  const lengths = reader.doubles(table, ends);
  const checksums = reader.text(table, sums) ?? '';
  const count = dtypes.length;
  if (!areWhole(axes) || !areWhole(offsets) || !areWhole(lengths))
    fault(`${at}, blobs`, 'a size or place that is no whole number');
  const isEven =
    ranks.length === count &&
    offsets.length === count &&
    lengths.length === count &&
    ranks.reduce((sum, rank) => sum + rank, 0) === axes.length;
  if (!isEven) fault(`${at}, blobs`, 'columns of different lengths');
  if (checksums.length !== CHECKSUM_DIGITS * count || !HEXADECIMAL.test(checksums))
    fault(`${at}, blobs`, 'other than a checksum of each', `${CHECKSUM_DIGITS} hexadecimal digits each`);
  return { dtypes, ranks, axes, offsets, lengths, checksums };
}

function areWhole(numbers: Float64Array): boolean {
  for (let at = 0; at < numbers.length; at++)
    if (!(numbers[at]! >= 0 && Number.isSafeInteger(numbers[at]!))) return false;
  return true;
}

function decodeBlob(columns: BlobColumns, number: number, shape: readonly number[], file: string): PlacedBlob {
  const dtype =
    blobDtypes[columns.dtypes[number]!] ?? fault(`${file}, blob ${number}`, `type ${columns.dtypes[number]}`);
  const bytes = columns.lengths[number]!;
  let elements = 1;
  for (let axis = 0; axis < shape.length; axis++) elements *= shape[axis]!;
  const size = dtype === 'blob' ? 1 : dtype === 'string' ? undefined : bytesPerElement(dtype);
  if (!Number.isSafeInteger(elements) || (size !== undefined && elements * size !== bytes))
    fault(`${file}, blob ${number}`, `${bytes} bytes for ${dtype}[${shape.join(', ')}]`);
  const checksum = columns.checksums.slice(CHECKSUM_DIGITS * number, CHECKSUM_DIGITS * (number + 1));
  return { id: parameterId(dtype, shape, bytes, checksum), dtype, shape, bytes, offset: columns.offsets[number]! };
}
