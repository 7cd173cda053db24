import { bytesPerElement, type ParameterId } from '@brezel/core';
import { parameterId } from '@brezel/object-store';
import type { PlacedBlob } from './encode.js';
import { throwFormatError } from './format-error.js';
import { ALIGNMENT, CHECKSUM_DIGITS, HEADER_BYTES } from './layout.js';
import { type ManifestReader, vtableOffsets } from './manifest-reader.js';
import { blobDtypes } from './numbering.js';

/**
 * The largest number of unused bytes between two parameters of a file. Such gaps take no disk
 * space, but it takes time to check that they contain only zeros.
 */
const MAX_GAP = 2 ** 16;
/**
 * Bytes of one element, by the number of its type in the file. Undefined for strings, because their
 * lengths differ.
 */
const elementBytes = blobDtypes.map((dtype) =>
  dtype === 'blob' ? 1 : dtype === 'string' ? undefined : bytesPerElement(dtype),
);

/**
 * The table of the parameters in a file. The whole table is checked when the file is opened. The
 * object of a parameter is created on first use, because a process may need only a few of many
 * plans.
 */
export class FileBlobs {
  readonly #path: string;
  readonly #columns: BlobColumns;
  readonly #blobs: (PlacedBlob | undefined)[];
  #byId: ReadonlyMap<ParameterId, PlacedBlob> | undefined;

  /**
   * Checks the table of parameters. `end` is the offset at which the manifest starts.
   *
   * @throws ERR_STORE_FORMAT
   */
  constructor(reader: ManifestReader, end: number, path: string) {
    this.#path = path;
    this.#columns = blobColumns(reader, path);
    this.#blobs = new Array(this.#columns.dtypes.length);
    checkOffsets(this.#columns, end, path);
  }

  get count(): number {
    return this.#blobs.length;
  }

  /** Total bytes of all parameters. */
  get bytes(): number {
    return this.#columns.lengths.reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Returns the parameter with this index. `number` must be below `count`. */
  at(number: number): PlacedBlob {
    let blob = this.#blobs[number];
    if (blob === undefined) {
      blob = decodeBlob(this.#columns, number);
      this.#blobs[number] = blob;
    }
    return blob;
  }

  all(): PlacedBlob[] {
    const blobs: PlacedBlob[] = new Array(this.count);
    for (let number = 0; number < blobs.length; number++) blobs[number] = this.at(number);
    return blobs;
  }

  /**
   * Returns the parameter with this id. The id must belong to a parameter of the file.
   *
   * @throws ERR_STORE_FORMAT when the file contains a parameter twice.
   */
  of(id: ParameterId): PlacedBlob {
    this.#byId ??= this.#ids();
    return this.#byId.get(id)!;
  }

  /**
   * Checks that no parameter occurs twice.
   *
   * @throws ERR_STORE_FORMAT
   */
  checkDistinct(): void {
    this.#byId ??= this.#ids();
  }

  #ids(): ReadonlyMap<ParameterId, PlacedBlob> {
    const byId = new Map<ParameterId, PlacedBlob>();
    for (const blob of this.all()) byId.set(blob.id, blob);
    if (byId.size !== this.count) throwFormatError(this.#path, 'a duplicate parameter');
    return byId;
  }
}

interface BlobColumns {
  readonly dtypes: Uint8Array;
  /** For each parameter, the index in `axes` at which its sizes start. */
  readonly firstAxes: Uint32Array;
  /** Sizes of all axes, one parameter after another. */
  readonly axes: Float64Array;
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
  readonly checksums: string;
}

/**
 * Reads the lists that describe the parameters, and checks that each list has one entry for each
 * parameter.
 */
function blobColumns(reader: ManifestReader, at: string): BlobColumns {
  const table = reader.table(reader.root, vtableOffsets.Fleet.blobs);
  if (table === 0) throwFormatError(`${at}, blobs`, 'nothing', 'a table');
  const {
    dtypes: types,
    ranks: ranked,
    axes: sizes,
    offsets: starts,
    lengths: ends,
    checksums: sums,
  } = vtableOffsets.Blobs;
  const dtypes = reader.bytes(table, types);
  const ranks = reader.bytes(table, ranked);
  const axes = reader.column(table, sizes);
  const offsets = reader.column(table, starts);
  const lengths = reader.column(table, ends);
  const checksums = reader.text(table, sums) ?? '';
  const count = dtypes.length;
  // Offsets are not checked here, because `checkOffsets` checks them.
  if (!areWhole(axes) || !areWhole(lengths)) throwFormatError(`${at}, blobs`, 'a size that is not a whole number');
  const firstAxes = new Uint32Array(count + 1);
  for (let number = 0; number < count; number++) firstAxes[number + 1] = firstAxes[number]! + ranks[number]!;
  const isEven =
    ranks.length === count && offsets.length === count && lengths.length === count && firstAxes[count] === axes.length;
  if (!isEven) throwFormatError(`${at}, blobs`, 'columns of different lengths');
  if (checksums.length !== CHECKSUM_DIGITS * count || !isHexadecimal(checksums))
    throwFormatError(`${at}, blobs`, 'a malformed checksum', `${CHECKSUM_DIGITS} hexadecimal digits`);
  return { dtypes, firstAxes, axes, offsets, lengths, checksums };
}

/**
 * Returns whether a text is lower-case hexadecimal of even length. It is faster than a regular
 * expression, because V8 interprets a regular expression at its first use.
 */
const isHexadecimal = (text: string): boolean => Buffer.from(text, 'hex').toString('hex') === text;

function areWhole(numbers: Float64Array): boolean {
  for (let index = 0; index < numbers.length; index++)
    if (!(numbers[index]! >= 0 && Number.isSafeInteger(numbers[index]!))) return false;
  return true;
}

/**
 * Checks that offsets are ascending and inside the file, and that each length matches the type and
 * shape.
 */
function checkOffsets({ dtypes, firstAxes, axes, offsets, lengths }: BlobColumns, end: number, file: string): void {
  let free = HEADER_BYTES;
  for (let number = 0; number < dtypes.length; number++) {
    const offset = offsets[number]!;
    const bytes = lengths[number]!;
    let elements = 1;
    for (let axis = firstAxes[number]!; axis < firstAxes[number + 1]!; axis++) elements *= axes[axis]!;
    const type = dtypes[number]!;
    if (type >= blobDtypes.length) throwFormatError(`${file}, blob ${number}`, `type ${type}`);
    const size = elementBytes[type];
    if (!Number.isSafeInteger(elements) || (size !== undefined && elements * size !== bytes))
      throwFormatError(
        `${file}, blob ${number}`,
        `${bytes} bytes for ${blobDtypes[type]}[${shapeOf(firstAxes, axes, number).join(', ')}]`,
      );
    if (offset < free || offset > free + MAX_GAP || offset % ALIGNMENT !== 0 || offset + bytes + ALIGNMENT > end)
      throwFormatError(
        `${file}, blob ${number}`,
        `${bytes} bytes from ${offset} on`,
        `a multiple of ${ALIGNMENT} from ${free} on, and an end before ${end}`,
      );
    free = offset + bytes;
  }
  if (free + MAX_GAP < end) throwFormatError(file, `${end - free} bytes behind the parameters`, `at most ${MAX_GAP}`);
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
