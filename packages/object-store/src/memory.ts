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
   * Copies the bytes into memory under a content id. If the id exists, it compares the bytes and
   * adds a reference instead.
   */
  put(id: string, bytes: Uint8Array): number;
  retain(handle: number): void;
  /** Drops one reference. Dropping the last one frees the memory. */
  release(handle: number): void;
  /**
   * Returns the bytes as a copy, or as a view if JavaScript owns the memory. Never write to them.
   */
  read(handle: number): Uint8Array;
  /**
   * Maps a file, so that its parameters are used without a copy. All users share one mapping. The
   * function is absent if mapping is unsupported.
   *
   * The caller may close the descriptor afterwards. When the mapping ends, the files in `links` are
   * removed.
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
   * @param tables For each table: the number of its fields, then four numbers for each field. The
   * four numbers are its bytes; the bytes of an element; flags (1 list, 2 bool, 4 string); and the
   * index of the table that it points to, or -1.
   * @param root The index of the root table.
   */
  isSound?(manifest: Uint8Array, tables: Int32Array, root: number): boolean;
  /**
   * Stores a range of an existing parameter as another parameter, without a copy in JavaScript. If
   * `range` is absent, the store reads the bytes and stores them with `put`.
   */
  readonly range?: {
    /** Computes `checksum` of a range of a parameter. */
    checksum(handle: number, offset: number, length: number): string;
    /** Puts a range of a parameter, as `put` does. */
    put(id: string, handle: number, offset: number, length: number): number;
  };
  /** Native functions over encoded strings (`bytesOfStrings`). Absent without the addon. */
  readonly strings?: StringFunctions;
  /** Functions over arrays of numbers with native speed. They are absent without the addon. */
  readonly numbers?: NumberFunctions;
  /** Functions over protobuf bytes with native speed. They are absent without the addon. */
  readonly wire?: WireFunctions;
  /** Shares parameters with other threads without a copy. Absent if the memory cannot be shared. */
  readonly sharing?: {
    /**
     * Returns a value that can be sent to another thread: a handle that is valid in the whole
     * process, or bytes in shared memory.
     */
    share(handle: number): number | Uint8Array;
    /**
     * Stores a value that `share` returned in another thread, without copying or comparing bytes.
     */
    take(id: string, shared: number | Uint8Array): number;
  };
  /**
   * Returns freed memory to the operating system, which the allocator otherwise keeps for reuse. It
   * takes a few milliseconds.
   */
  trim?(): void;
}

/**
 * Functions over encoded strings (`bytesOfStrings`). Each returns undefined for unsupported input,
 * and then the caller uses decoded strings.
 */
export interface StringFunctions {
  /**
   * Encodes the strings at these positions of `bytes`. Returns undefined if a string is not UTF-8.
   */
  encode(bytes: Uint8Array, offsets: Uint32Array, lengths: Uint32Array): Uint8Array | undefined;
  /**
   * Returns the distinct strings in order of first occurrence. `numbers` has, for each input
   * string, its index among the distinct strings.
   */
  distinct(strings: Uint8Array): DistinctStrings | undefined;
  /** Returns the result of `distinct` for the strings at these positions of `bytes`. */
  distinctAt(bytes: Uint8Array, offsets: Uint32Array, lengths: Uint32Array): DistinctStrings | undefined;
  /**
   * Builds the blob of an n-gram dictionary. It equals the result of `buildDictionary` in
   * packages/text.
   */
  dictionary(source: EncodedDictionary): Uint8Array | undefined;
}

/**
 * The distinct strings of a list in order of first occurrence, and for each string of the list its
 * index among the distinct strings.
 */
export interface DistinctStrings {
  readonly strings: Uint8Array;
  readonly numbers: Int32Array;
}

/** Functions over arrays of numbers with native speed. */
export interface NumberFunctions {
  /** Returns whether all numbers are finite. */
  areFinite(numbers: Float32Array | Float64Array): boolean;
  /** Returns a transposed copy of a matrix. */
  transpose(matrix: Float32Array, rows: number, columns: number): Float32Array;
  /**
   * Returns the second number of each pair if the first one is its negative in all pairs, otherwise
   * undefined.
   */
  mirroredHalf(pairs: Float32Array): Float32Array | undefined;
}

/**
 * Functions over repeated fields of protobuf messages. In a run, each element has the same one-byte
 * tag. `at` is the position after the first tag, and `end` the end of the message. Each function
 * stops before another tag or a damaged element, so that the caller reads and reports it.
 */
export interface WireFunctions {
  /**
   * Copies the numbers of a repeated protobuf field, which have `width` bytes each, without tags.
   */
  numbers(bytes: Uint8Array, at: number, end: number, tag: number, width: 4 | 8): Uint8Array;
  /**
   * Counts the varints of a repeated protobuf field, or of a packed field if `tag` is 0. `end` of
   * the result is the position after the last varint.
   */
  varints(bytes: Uint8Array, at: number, end: number, tag: number): { readonly count: number; readonly end: number };
  /**
   * Decodes varints. A range has two numbers: its start, plus 2^31 if no tags precede its varints,
   * and its end. Returns undefined if a varint is not an int32.
   */
  integers(bytes: Uint8Array, ranges: Uint32Array, count: number): Int32Array | undefined;
  /**
   * Counts the byte strings of a repeated protobuf field. `end` of the result is the position after
   * the last string.
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

/** Two hard links to a snapshot of a fleet file. */
export interface SnapshotLinks {
  /** Path of the link of one open file. It is removed when that file no longer needs the bytes. */
  readonly own: string;
  /** Path under which all processes find the snapshot. The last open file removes it. */
  readonly shared: string;
}

/** The bytes of a file that contains parameters. They are mapped or read on demand. */
export interface FileBytes {
  /** Returns the checksum (`Checksum.of`) of a range. */
  checksum(offset: number, length: number): string;
  isZero(offset: number, length: number): boolean;
  /**
   * Takes one reference to the parameter in this range. If `compare` is true, compares the bytes
   * with the bytes stored under the id.
   */
  parameter(offset: number, length: number, id: string, compare: boolean): number;
  /**
   * Reads a byte of each page of a range in a background thread, so that predictions find the pages
   * in memory. Absent if the file is not mapped.
   */
  touch?(offset: number, length: number): Promise<void>;
  /** Closes the file. Its parameters stay valid. */
  close(): void;
}

/**
 * Stores parameter bytes in SharedArrayBuffers: outside the V8 heap, and shared with workers that
 * receive the buffer.
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
