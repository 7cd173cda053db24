import { storeError } from './errors.js';
import { sharedBytes } from './page-memory.js';

/**
 * Owns the bytes of parameters. The addon implements it with memory outside V8, with one copy for
 * each process. `sharedMemory` implements it without an addon.
 *
 * Handles are small integers. Each `put` and `retain` adds one reference.
 */
export interface ParameterMemory {
  readonly kind: 'native' | 'shared';
  /**
   * Copies the bytes of a parameter into memory and returns a handle. If the id already exists,
   * compares the bytes and adds a reference instead of a copy.
   */
  put(id: string, bytes: Uint8Array): number;
  retain(handle: number): void;
  /** Removes one reference. Frees the memory if it was the last reference. */
  release(handle: number): void;
  /**
   * Returns the bytes of a parameter: a copy, or a view if JavaScript owns the memory. Never write
   * to these bytes.
   */
  read(handle: number): Uint8Array;
  /**
   * Maps a file, so that its parameters are used without a copy. The parameters share one mapping
   * of the file. The function is absent if the memory cannot map files.
   *
   * The caller may close the descriptor afterwards. The addon removes the files in `links` when the
   * mapping ends.
   */
  mapFile?(descriptor: number, bytes: number, links?: SnapshotLinks): FileBytes;
  /**
   * Computes `Checksum.of` in native code. If the function is absent, WebAssembly computes the
   * checksum.
   */
  checksum?(bytes: Uint8Array): string;
  /**
   * Returns whether a FlatBuffer is safe to read. It accepts the same manifests as
   * `validateManifest`, in native code and without an error message. If the function is absent,
   * only `validateManifest` checks.
   *
   * @param tables For each table: the number of its fields, then four numbers for each field: its
   * size in bytes; the size of one element in bytes (the same number if the field is not a list);
   * flags (1 list, 2 bool, 4 string); and the index of the table to which the field points, or -1.
   * @param root The index of the root table.
   */
  isSound?(manifest: Uint8Array, tables: Int32Array, root: number): boolean;
  /**
   * Functions that store a range of an existing parameter as another parameter without copying it
   * to JavaScript. If they are absent, the store reads the bytes and stores them with `put`.
   */
  readonly range?: {
    /** Returns the checksum (`Checksum.of`) of a range of a parameter. */
    checksum(handle: number, offset: number, length: number): string;
    /** Stores a range of a parameter as `put` stores bytes. */
    put(id: string, handle: number, offset: number, length: number): number;
  };
  /** Native functions for encoded strings (`bytesOfStrings`). Absent without the addon. */
  readonly strings?: StringFunctions;
  /** Native functions for arrays of numbers. Absent without the addon. */
  readonly numbers?: NumberFunctions;
  /** Native functions for protobuf messages. Absent without the addon. */
  readonly wire?: WireFunctions;
  /** Shares parameters with other threads without a copy. Absent if the memory cannot be shared. */
  readonly sharing?: {
    /**
     * Returns a value that you can send to another thread: a handle that is valid in the whole
     * process, or bytes in shared memory.
     */
    share(handle: number): number | Uint8Array;
    /**
     * Stores a parameter that another thread has passed to `share`, without copying or comparing
     * its bytes.
     */
    take(id: string, shared: number | Uint8Array): number;
  };
  /**
   * Returns freed memory to the operating system, in a few milliseconds. Without this call, the
   * allocator holds freed memory for reuse.
   */
  trim?(): void;
}

/**
 * Native functions for encoded strings (`bytesOfStrings`). A function returns undefined for input
 * that it does not support; the caller then decodes the strings.
 */
export interface StringFunctions {
  /**
   * Encodes strings that are ranges of `bytes`, given by their offsets and lengths. Returns
   * undefined if a string is not UTF-8.
   */
  encode(bytes: Uint8Array, offsets: Uint32Array, lengths: Uint32Array): Uint8Array | undefined;
  /**
   * Returns the distinct strings of a list, in the order in which they first occur.
   */
  distinct(strings: Uint8Array): DistinctStrings | undefined;
  /** Returns the distinct strings of a list whose strings are ranges of `bytes`. */
  distinctAt(bytes: Uint8Array, offsets: Uint32Array, lengths: Uint32Array): DistinctStrings | undefined;
  /**
   * Builds the blob of an n-gram dictionary. The blob has the same bytes as the result of
   * `buildDictionary` in packages/text.
   */
  dictionary(source: EncodedDictionary): Uint8Array | undefined;
}

/**
 * The distinct strings of a list in the order in which they first occur. `numbers` contains, for
 * each string of the list, its index among the distinct strings.
 */
export interface DistinctStrings {
  readonly strings: Uint8Array;
  readonly numbers: Int32Array;
}

/** Native functions for arrays of numbers. */
export interface NumberFunctions {
  /** Returns whether all numbers are finite. */
  areFinite(numbers: Float32Array | Float64Array): boolean;
  /** Returns a transposed copy of a matrix. */
  transpose(matrix: Float32Array, rows: number, columns: number): Float32Array;
  /**
   * Returns the second number of each pair if all pairs have the form [-x, x]. Returns undefined
   * otherwise.
   */
  mirroredHalf(pairs: Float32Array): Float32Array | undefined;
}

/**
 * Native functions that read a repeated field of a protobuf message: elements that follow each
 * other, each after the same one-byte tag. `at` is the position after the first tag, and `end` is
 * the end of the message. A function stops before another tag or a damaged element. The caller then
 * continues there and reports damage.
 */
export interface WireFunctions {
  /**
   * Copies the numbers of a repeated field without their tags. Each number has `width` bytes.
   */
  numbers(bytes: Uint8Array, at: number, end: number, tag: number, width: 4 | 8): Uint8Array;
  /**
   * Counts the varints of a repeated field, or of a packed field if `tag` is 0. In the result,
   * `end` is the position after the last varint.
   */
  varints(bytes: Uint8Array, at: number, end: number, tag: number): { readonly count: number; readonly end: number };
  /**
   * Decodes the `count` varints in several ranges. A range has two numbers: its start and its end.
   * A range of varints without tags has 2^31 added to its start. Returns undefined if a varint does
   * not fit in an int32.
   */
  integers(bytes: Uint8Array, ranges: Uint32Array, count: number): Int32Array | undefined;
  /**
   * Counts the byte strings of a repeated field. In the result, `end` is the position after the
   * last string.
   */
  countStrings(
    bytes: Uint8Array,
    at: number,
    end: number,
    tag: number,
  ): { readonly count: number; readonly end: number };
  /** Returns the positions and lengths of the byte strings that `countStrings` counts. */
  strings(
    bytes: Uint8Array,
    at: number,
    end: number,
    tag: number,
  ): { readonly offsets: Uint32Array; readonly lengths: Uint32Array };
}

/** A `DictionarySource` of packages/text with encoded tokens. */
export interface EncodedDictionary {
  readonly unit: 'word' | 'character';
  readonly tokens: Uint8Array;
  readonly grams: Uint32Array | Int32Array;
  readonly gramCounts: readonly number[];
  readonly columns: Uint32Array | Int32Array;
  readonly columnCount: number;
  readonly minN: number;
  readonly maxN: number;
  readonly frequency?: Int32Array | undefined;
}

/** The paths of two hard links to a snapshot of a fleet file. */
export interface SnapshotLinks {
  /**
   * The path of the hard link that each use of the file creates for itself. The link is removed
   * when this use ends.
   */
  readonly own: string;
  /**
   * The path of the hard link by which all processes find the snapshot. The link is removed
   * together with the last `own` link.
   */
  readonly shared: string;
}

/** The bytes of a file that contains parameters. They are mapped or read on demand. */
export interface FileBytes {
  /** Returns the checksum (`Checksum.of`) of a range of the file. */
  checksum(offset: number, length: number): string;
  isZero(offset: number, length: number): boolean;
  /**
   * Stores a range of the file as a parameter and returns its handle. The caller owns one
   * reference. If a parameter with this id is already stored, adds a reference to it instead. With
   * `compare`, throws if the stored bytes differ from the range.
   */
  parameter(offset: number, length: number, id: string, compare: boolean): number;
  /**
   * Reads one byte of each page of a range in a background thread, so that predictions find the
   * pages in memory. The function is absent if the file is not mapped.
   */
  touch?(offset: number, length: number): Promise<void>;
  /** Closes the file. Its parameters stay valid. */
  close(): void;
}

/**
 * Returns a memory that stores parameters in SharedArrayBuffers. These are outside the V8 heap, and
 * worker threads that receive a buffer share its bytes.
 */
export function sharedMemory(): ParameterMemory {
  const objects = new Map<number, { id: string; bytes: Uint8Array; references: number }>();
  const handles = new Map<string, number>();
  let next = 1;
  const find = (handle: number) => {
    const found = objects.get(handle);
    if (found === undefined) throw storeError('ERR_STORE_MISSING', { at: `handle ${handle}` });
    return found;
  };
  const add = (id: string, bytes: Uint8Array) => {
    const handle = next++;
    objects.set(handle, { id, bytes, references: 1 });
    handles.set(id, handle);
    return handle;
  };
  return {
    kind: 'shared',
    put(id, bytes) {
      const known = handles.get(id);
      if (known !== undefined) {
        const object = find(known);
        if (!equalBytes(object.bytes, bytes)) throw storeError('ERR_STORE_CHECKSUM', { at: id });
        object.references++;
        return known;
      }
      const copy = sharedBytes(bytes.length);
      copy.set(bytes);
      return add(id, copy);
    },
    retain(handle) {
      find(handle).references++;
    },
    release(handle) {
      const object = find(handle);
      if (--object.references > 0) return;
      objects.delete(handle);
      handles.delete(object.id);
    },
    read: (handle) => find(handle).bytes,
    sharing: {
      share: (handle) => find(handle).bytes,
      take(id, shared) {
        const known = handles.get(id);
        if (known === undefined) return add(id, shared as Uint8Array);
        find(known).references++;
        return known;
      },
    },
  };
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
