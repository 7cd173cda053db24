import { bytesPerElement, type ParameterId } from '@brezel/core';
import { parameterId } from '@brezel/object-store';
import type { PlacedBlob } from './encode.js';
import { fault } from './fault.js';
import { ALIGNMENT, CHECKSUM_DIGITS, HEADER_BYTES } from './layout.js';
import { type ManifestReader, places } from './manifest-reader.js';
import { blobDtypes } from './numbering.js';

/** Most bytes without meaning: holes in a file cost nothing, but checking them does. */
const MAX_GAP = 2 ** 16;
/** Bytes of an element, by the numbers of types; undefined for those of strings, which have any number. */
const elementBytes = blobDtypes.map((dtype) =>
  dtype === 'blob' ? 1 : dtype === 'string' ? undefined : bytesPerElement(dtype),
);

/** The parameters of a file in its order. All are checked when it is opened; each is made when somebody asks for it: a process may want a few plans of many. */
export class FileBlobs {
  readonly #path: string;
  readonly #columns: BlobColumns;
  readonly #made: (PlacedBlob | undefined)[];
  #byId: ReadonlyMap<ParameterId, PlacedBlob> | undefined;

  /** `end`: where the blob section ends. @throws ERR_STORE_FORMAT */
  constructor(reader: ManifestReader, end: number, path: string) {
    this.#path = path;
    this.#columns = blobColumns(reader, path);
    this.#made = new Array(this.#columns.dtypes.length);
    checkPlaces(this.#columns, end, path);
  }

  get count(): number {
    return this.#made.length;
  }

  /** Of all parameters together. */
  get bytes(): number {
    return this.#columns.lengths.reduce((sum, bytes) => sum + bytes, 0);
  }

  /** `number`: below `count`. */
  at(number: number): PlacedBlob {
    let blob = this.#made[number];
    if (blob === undefined) {
      blob = decodeBlob(this.#columns, number);
      this.#made[number] = blob;
    }
    return blob;
  }

  all(): PlacedBlob[] {
    const blobs: PlacedBlob[] = new Array(this.count);
    for (let number = 0; number < blobs.length; number++) blobs[number] = this.at(number);
    return blobs;
  }

  /** The one of an id that a plan of the file uses. @throws ERR_STORE_FORMAT when the file has one parameter twice. */
  of(id: ParameterId): PlacedBlob {
    this.#byId ??= this.#ids();
    return this.#byId.get(id)!;
  }

  /** @throws ERR_STORE_FORMAT when the file has one parameter twice. */
  checkDistinct(): void {
    this.#byId ??= this.#ids();
  }

  #ids(): ReadonlyMap<ParameterId, PlacedBlob> {
    const byId = new Map<ParameterId, PlacedBlob>();
    for (const blob of this.all()) byId.set(blob.id, blob);
    if (byId.size !== this.count) fault(this.#path, 'a parameter twice');
    return byId;
  }
}

interface BlobColumns {
  readonly dtypes: Uint8Array;
  /** Of each, where its axes begin. */
  readonly firstAxes: Uint32Array;
  /** Sizes of all axes, one parameter after another. */
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
  const axes = reader.column(table, sizes);
  const offsets = reader.column(table, starts);
  const lengths = reader.column(table, ends);
  const checksums = reader.text(table, sums) ?? '';
  const count = dtypes.length;
  // Places need no look here: they are multiples of the alignment, or refused.
  if (!areWhole(axes) || !areWhole(lengths)) fault(`${at}, blobs`, 'a size that is no whole number');
  const firstAxes = new Uint32Array(count + 1);
  for (let number = 0; number < count; number++) firstAxes[number + 1] = firstAxes[number]! + ranks[number]!;
  const isEven =
    ranks.length === count && offsets.length === count && lengths.length === count && firstAxes[count] === axes.length;
  if (!isEven) fault(`${at}, blobs`, 'columns of different lengths');
  if (checksums.length !== CHECKSUM_DIGITS * count || !isHexadecimal(checksums))
    fault(`${at}, blobs`, 'other than a checksum of each', `${CHECKSUM_DIGITS} hexadecimal digits each`);
  return { dtypes, firstAxes, axes, offsets, lengths, checksums };
}

/** In lower case, of even length. Cheaper than a pattern, which V8 interprets at its first use. */
const isHexadecimal = (text: string): boolean => Buffer.from(text, 'hex').toString('hex') === text;

function areWhole(numbers: Float64Array): boolean {
  for (let at = 0; at < numbers.length; at++)
    if (!(numbers[at]! >= 0 && Number.isSafeInteger(numbers[at]!))) return false;
  return true;
}

/** Places ascend and lie in the file, and each parameter has as many bytes as its type and shape say. */
function checkPlaces({ dtypes, firstAxes, axes, offsets, lengths }: BlobColumns, end: number, file: string): void {
  let free = HEADER_BYTES;
  for (let number = 0; number < dtypes.length; number++) {
    const offset = offsets[number]!;
    const bytes = lengths[number]!;
    let elements = 1;
    for (let axis = firstAxes[number]!; axis < firstAxes[number + 1]!; axis++) elements *= axes[axis]!;
    const type = dtypes[number]!;
    if (type >= blobDtypes.length) fault(`${file}, blob ${number}`, `type ${type}`);
    const size = elementBytes[type];
    if (!Number.isSafeInteger(elements) || (size !== undefined && elements * size !== bytes))
      fault(
        `${file}, blob ${number}`,
        `${bytes} bytes for ${blobDtypes[type]}[${shapeOf(firstAxes, axes, number).join(', ')}]`,
      );
    if (offset < free || offset > free + MAX_GAP || offset % ALIGNMENT !== 0 || offset + bytes + ALIGNMENT > end)
      fault(
        `${file}, blob ${number}`,
        `${bytes} bytes from ${offset} on`,
        `a multiple of ${ALIGNMENT} from ${free} on, and an end before ${end}`,
      );
    free = offset + bytes;
  }
  if (free + MAX_GAP < end) fault(file, `${end - free} bytes behind the parameters`, `at most ${MAX_GAP}`);
}

function shapeOf(firstAxes: Uint32Array, axes: Float64Array, number: number): number[] {
  const first = firstAxes[number]!;
  const shape: number[] = new Array(firstAxes[number + 1]! - first);
  for (let axis = 0; axis < shape.length; axis++) shape[axis] = axes[first + axis]!;
  return shape;
}

function decodeBlob({ dtypes, firstAxes, axes, offsets, lengths, checksums }: BlobColumns, number: number): PlacedBlob {
  const dtype = blobDtypes[dtypes[number]!]!;
  const shape = shapeOf(firstAxes, axes, number);
  const bytes = lengths[number]!;
  const checksum = checksums.slice(CHECKSUM_DIGITS * number, CHECKSUM_DIGITS * (number + 1));
  return { id: parameterId(dtype, shape, bytes, checksum), dtype, shape, bytes, offset: offsets[number]! };
}
