/** The addon, or undefined if it could not be loaded. Importing this module never throws. */
export const addon: NativeAddon | undefined;
/**
 * The error that says why the addon could not be loaded and what to do. Its `code` is
 * `ERR_NATIVE_LOAD`.
 */
export const error: (Error & { readonly code: 'ERR_NATIVE_LOAD' }) | undefined;

/**
 * A number that identifies a native object: an integer below 2^53 with a kind and a generation.
 * Using a released handle throws `ERR_NATIVE_HANDLE`.
 */
export type ParameterHandle = number & { readonly __handle?: 'parameter' };
export type StageHandle = number & { readonly __handle?: 'stage' };
export type FileHandle = number & { readonly __handle?: 'file' };
export type ResultsHandle = number & { readonly __handle?: 'results' };
export type PlanHandle = number & { readonly __handle?: 'plan' };

/** The instruction sets for which kernels are compiled. On arm64, `baseline` is NEON. */
export type Isa = 'baseline' | 'avx2' | 'avx512';

/**
 * The `code` of every error that the addon throws. After `ERR_NATIVE_MEMORY` (the working memory of
 * the thread could not grow), the thread can still run predictions.
 */
export type NativeErrorCode =
  | 'ERR_NATIVE_ARGUMENT'
  | 'ERR_NATIVE_PROGRAM'
  | 'ERR_NATIVE_PARAMETER'
  | 'ERR_NATIVE_INPUT'
  | 'ERR_NATIVE_HANDLE'
  | 'ERR_NATIVE_MEMORY';

/**
 * A number that identifies a scheduler. It is valid in the whole process, so that other threads can
 * run executors for the scheduler.
 */
export type SchedulerToken = number & { readonly __handle?: 'scheduler' };

/**
 * Why a chunk has no answers: a kernel rejected a row, memory ran out, or `chunkCancel` or
 * `planUnschedule` canceled the chunk.
 */
export interface ChunkFailure {
  readonly end: 'refused' | 'memory' | 'cancelled';
  /** The index of the first rejected row in the chunk; 0 unless `end` is `refused`. */
  readonly row: number;
  readonly message?: string;
}

/** Counts of a group of executors since the group was created. */
export interface GroupStatistics {
  /** The number of times that a stage ran for a chunk. */
  readonly events: number;
  /** The number of finished chunks. */
  readonly chunks: number;
  /** The number of rows of finished chunks. */
  readonly rows: number;
  /**
   * The number of times that an executor put a chunk back between two stages to run a chunk of
   * higher priority.
   */
  readonly preempted: number;
  /** The number of times that an executor found no chunk and slept. */
  readonly parked: number;
  /** The number of started chunks that wait in the high queue now. */
  readonly waitingHigh: number;
  /** The number of chunks that executors took from the low queue, which holds new chunks. */
  readonly takenLow: number;
  /** The number of chunks that executors took from the high queue, which holds started chunks. */
  readonly takenHigh: number;
  /**
   * The bytes of the executors' working memory and of all pooled vectors. They are constant after
   * warm-up.
   */
  readonly scratchBytes: number;
  /** The number of times that a buffer of an executor grew. It is constant after warm-up. */
  readonly grows: number;
  /** The number of pooled vectors that executors and `vectorsHold` allocated. */
  readonly vectorsMade: number;
  /** The number of times that a plan moved to a larger size class of pooled vectors. */
  readonly vectorsRaised: number;
  /**
   * The number of pooled vectors that were freed because they exceeded the size class of their
   * plan.
   */
  readonly overflows: number;
  readonly overflowBytes: number;
  /**
   * The number of pooled vectors that were freed because an executor already stored as many as its
   * limits allow.
   */
  readonly released: number;
  readonly releasedBytes: number;
}

/** Slot numbers or stage program words: an `Int32Array`, or an array of integers. */
export type Integers = Int32Array | readonly number[];

/**
 * A stage program (README section 2). `stageCreate` checks the whole program, so that its kernels
 * cannot access memory outside their buffers.
 */
export interface StageSource {
  readonly isa: Isa;
  /**
   * Three numbers for each slot: kind (0 text, 1 sparse, 2 dense, 3 dictionary), dtype (0 float32
   * to 5 label index), and the size of a row (its number of texts, numbers or sparse columns).
   */
  readonly slots: Integers;
  /**
   * For each instruction: the number of its kernel; the counts of its inputs, outputs, parameters
   * and attributes; its input slots, its output slots, indices into `parameters`, and its
   * attributes.
   */
  readonly instructions: Integers;
  /**
   * The parameters of the instructions, which refer to a parameter by its index in this list. The
   * stage takes a reference to each one and holds it while the stage, or a plan with the stage,
   * exists.
   */
  readonly parameters: readonly ParameterHandle[] | Float64Array;
  readonly inputs: Integers;
  readonly outputs: Integers;
}

export interface PlanSource {
  /**
   * Stages in the order in which they run. The plan also holds them, so you may release your
   * handles afterwards.
   */
  readonly stages: readonly StageHandle[] | Float64Array;
  /**
   * For each stage: the number of its inputs, the number of its outputs, and then the plan slots of
   * both. A plan has one slot for each plan input and each stage output.
   */
  readonly wiring: Integers;
  /**
   * Plan slots that receive rows: text, dense, dictionary, or (with `runColumns` only) sparse. The
   * addon ignores a slot that no stage reads.
   */
  readonly inputs: Integers;
  /**
   * Plan slots whose values `out` receives, one slot after another: dense, or sparse with all its
   * columns. `runColumns` also returns text slots.
   */
  readonly outputs: Integers;
  /**
   * The maximal length of a row of text in UTF-8 bytes, at most 2^28. A longer row throws
   * `ERR_NATIVE_INPUT`.
   */
  readonly maxInputBytes: number;
}

/**
 * The values of one input or output for all rows: texts; numbers in row-major order (bool as
 * `Uint8Array`); or sparse rows (CSR, with distinct ids in a row).
 */
export type NativeColumn =
  | readonly (string | Uint8Array)[]
  | Float32Array
  | Float64Array
  | BigInt64Array
  | Int32Array
  | Uint8Array
  | { readonly offsets: Uint32Array; readonly ids: Uint32Array; readonly values: Float32Array };

/**
 * The functions of the addon. Parameters belong to the process, all other objects to the calling
 * thread. The addon releases a thread's objects when the thread ends.
 */
export interface NativeAddon {
  /**
   * The fingerprint of the interface at the time of the build. The interface is this file and
   * include/attributes.hpp. The loader rejects an addon with another fingerprint.
   */
  readonly interface: string;
  /** Returns the instruction sets that this machine supports, slowest first. */
  isas(): Isa[];
  /**
   * Returns the names of the kernels. The index of a name is the number of the kernel in stage
   * programs.
   */
  kernels(): string[];

  /**
   * Copies `bytes` under `id` into 64-byte aligned memory of the process, or shares the existing
   * copy. Takes one reference. The cost is O(bytes) in both cases, because equal ids require a
   * comparison of their bytes.
   * @throws ERR_NATIVE_PARAMETER when `id` already has other bytes.
   */
  parameterPut(id: string, bytes: NodeJS.TypedArray): ParameterHandle;
  /** Returns the content checksum of the bytes: 32 hexadecimal digits, two seeded XXH64 sums. */
  parameterChecksum(bytes: NodeJS.TypedArray): string;
  /**
   * Checks that a FlatBuffer is safe to read: every table, list and string is inside it and
   * aligned, and no two references have the same target.
   *
   * @param tables For each table: the number of its fields, then four numbers for each field: its
   * size in bytes; the size of one element in bytes (if the field is not a list, the same number);
   * flags (1 list, 2 bool, 4 string); and the index of the table to which it points, or -1.
   * @param root The index of the root table in `tables`.
   * @throws ERR_NATIVE_ARGUMENT for an invalid description.
   */
  manifestIsSound(bytes: NodeJS.TypedArray, tables: Int32Array, root: number): boolean;
  /**
   * Takes another reference. Parameter handles are valid in the whole process, so the parameter may
   * come from another thread.
   */
  parameterRetain(handle: ParameterHandle): void;
  /**
   * Releases one reference of this thread. The last release in the process frees the parameter.
   */
  parameterRelease(handle: ParameterHandle): void;
  /** Returns a copy of the parameter's bytes. */
  parameterCopy(handle: ParameterHandle): Uint8Array;
  /**
   * Returns the content checksum of a range of a parameter's bytes, as `parameterChecksum` computes
   * it.
   * @throws ERR_NATIVE_ARGUMENT when the range is not inside the parameter.
   */
  parameterRangeChecksum(handle: ParameterHandle, offset: number, length: number): string;
  /** Puts a range of another parameter's bytes under `id`, as `parameterPut` does. */
  parameterPutRange(handle: ParameterHandle, offset: number, length: number, id: string): ParameterHandle;
  /**
   * Encodes the strings at these positions of `bytes` as a list: u32 count, u32 offsets[count + 1],
   * UTF-8 bytes. Returns undefined if a string is not UTF-8.
   * @throws ERR_NATIVE_ARGUMENT for a position outside `bytes`.
   */
  stringsEncode(bytes: Uint8Array, offsets: Uint32Array, lengths: Uint32Array): Uint8Array | undefined;
  /**
   * Returns the distinct strings of an encoded list in order of first occurrence. For each string
   * of the list, `numbers` has its index among the distinct strings. Returns undefined if the list
   * is malformed or not UTF-8.
   */
  stringsDistinct(strings: Uint8Array): { strings: Uint8Array; numbers: Int32Array } | undefined;
  /**
   * Returns the result of `stringsDistinct` for the strings at these positions of `bytes`.
   * @throws ERR_NATIVE_ARGUMENT for a position outside `bytes`.
   */
  stringsDistinctAt(
    bytes: Uint8Array,
    offsets: Uint32Array,
    lengths: Uint32Array,
  ): { strings: Uint8Array; numbers: Int32Array } | undefined;
  /**
   * Builds the `BZNG` blob of a dictionary (README section 3). The result equals that of
   * `buildDictionary` of packages/text. Returns undefined for a source that `buildDictionary`
   * rejects, and for sizes above 2^31 - 1.
   */
  dictionaryBuild(source: {
    readonly unit: 'word' | 'character';
    /** The distinct tokens as an encoded list. */
    readonly tokens: Uint8Array;
    readonly grams: Uint32Array | Int32Array;
    readonly gramCounts: readonly number[];
    readonly columns: Uint32Array | Int32Array;
    readonly columnCount: number;
    readonly minN: number;
    readonly maxN: number;
    readonly frequency?: Int32Array | undefined;
  }): Uint8Array | undefined;
  /** Returns whether all numbers are finite. */
  numbersAreFinite(numbers: Float32Array | Float64Array): boolean;
  /** Returns a transposed copy of a matrix. */
  numbersTranspose(matrix: Float32Array, rows: number, columns: number): Float32Array;
  /**
   * If the first number of every pair is the negative of the second number, returns the second
   * numbers. Otherwise returns undefined.
   */
  numbersMirroredHalf(pairs: Float32Array): Float32Array | undefined;
  /**
   * Copies the numbers of a repeated protobuf field. Each number has `width` bytes after a one-byte
   * tag. `at` is the position after the first tag. This function and the others that take a `tag`
   * stop before a different tag or a damaged element, or at the end of the message.
   */
  wireNumbers(bytes: Uint8Array, at: number, end: number, tag: number, width: 4 | 8): Uint8Array;
  /**
   * Counts the varints of a repeated protobuf field. Each varint follows a one-byte tag. With tag
   * 0, the field is packed, and its varints have no tags. `end` of the result is the position after
   * the last varint.
   */
  wireVarints(bytes: Uint8Array, at: number, end: number, tag: number): { count: number; end: number };
  /**
   * Decodes the varints of several ranges of `bytes`. `ranges` holds the start and the end of each
   * range. For a packed field, whose varints have no tags, add 2^31 to the start. Returns undefined
   * if a varint is not an int32.
   * @throws ERR_NATIVE_ARGUMENT when the ranges do not hold `count` varints.
   */
  wireIntegers(bytes: Uint8Array, ranges: Uint32Array, count: number): Int32Array | undefined;
  /**
   * Counts the byte strings of a repeated protobuf field. `end` of the result is the position after
   * the last string.
   */
  wireCountStrings(bytes: Uint8Array, at: number, end: number, tag: number): { count: number; end: number };
  /** Returns the positions and lengths of the byte strings that `wireCountStrings` counts. */
  wireStrings(bytes: Uint8Array, at: number, end: number, tag: number): { offsets: Uint32Array; lengths: Uint32Array };
  /** Returns the number of parameters of the whole process, and their bytes. */
  parameterStats(): { objects: number; bytes: number };

  /**
   * Maps a regular file of `bytes` bytes read-only. You may close the descriptor afterwards. On
   * systems that cannot map files, this function and the other file functions are not exported.
   * @param own Path of a hard link to the file. The addon removes this link when the mapping ends.
   * @param shared Path of another hard link to the file. If `shared` is then the last link to the
   * file, the addon removes it too.
   * @throws ERR_NATIVE_ARGUMENT when the file is not a regular file, or has another size. In that
   * case no link is removed.
   */
  fileMap?(descriptor: number, bytes: number, own?: string, shared?: string): FileHandle;
  /**
   * Returns the content checksum of a range of a file: 32 hexadecimal digits, two seeded XXH64
   * sums.
   */
  fileChecksum?(file: FileHandle, offset: number, length: number): string;
  fileIsZero?(file: FileHandle, offset: number, length: number): boolean;
  /**
   * Puts a range of a mapped file under `id` without copying it: the parameter points into the
   * file. `offset` is a multiple of 64, and 64 more bytes of the file must follow the range. The
   * file stays mapped while such a parameter exists.
   * @param compare If bytes already exist under `id`: true compares all bytes with the range, false
   * compares only the length.
   */
  fileParameter?(file: FileHandle, offset: number, length: number, id: string, compare: boolean): ParameterHandle;
  /**
   * Reads a byte of each page of a range in a background thread, so that later reads find the page
   * in memory. The file stays mapped until the promise resolves.
   * @throws ERR_NATIVE_ARGUMENT when the range is not inside the file.
   */
  fileTouch?(file: FileHandle, offset: number, length: number): Promise<void>;
  /** Releases the file. Parameters that point into it stay valid. */
  fileRelease?(file: FileHandle): void;

  stageCreate(source: StageSource): StageHandle;
  /** Releases the stage. Plans that use the stage can still run it. */
  stageRelease(handle: StageHandle): void;
  planCreate(source: PlanSource): PlanHandle;
  planRelease(handle: PlanHandle): void;

  /**
   * Creates a cache with a memory budget for results of stages. A lookup compares all bytes of the
   * stage's input, so a hit is exact. The cache evicts the least recently used results first. The
   * handle belongs to this thread; executors use the cache for chunks of this thread.
   */
  resultsCreate(maxBytes: number): ResultsHandle;
  /** Switches lookups and additions on or off. Existing results stay in the cache. */
  resultsSwitch(results: ResultsHandle, isOn: boolean): void;
  /**
   * Returns the counters of a cache. `bytes` is the estimated memory use, at most `maxBytes`. A hit
   * is a row whose result was found.
   */
  resultsStats(results: ResultsHandle): {
    hits: number;
    misses: number;
    evictions: number;
    entries: number;
    bytes: number;
  };
  /** Frees the cache and all its results. Stages that used it no longer cache results. */
  resultsRelease(results: ResultsHandle): void;
  /**
   * Caches the stage's results in every plan with the stage: for single rows, blocks of rows, and
   * chunks of executors. The rows of a block are looked up together, and the stage runs on the
   * other rows. The cache adds nothing while inputs rarely repeat. Calls that measure stages do not
   * use the cache.
   */
  stageKeepResults(stage: StageHandle, results: ResultsHandle): void;
  /** Frees the cached results of the stage. `stageRelease` also frees them. */
  stageForgetResults(stage: StageHandle): void;

  /**
   * Runs a plan with one text input on one row. It allocates no memory once scratch is warm.
   * @param text A string (a lone surrogate becomes U+FFFD), or valid UTF-8.
   * @param out Receives the plan's numbers. Elements after them do not change.
   * @throws ERR_NATIVE_INPUT when text is too long, or is not valid UTF-8.
   */
  predictText(plan: PlanHandle, text: string | Uint8Array, out: Float64Array): void;
  /**
   * Returns the number of elements of a row in each input of a plan, 0 for an unused input. Returns
   * undefined if an input is text, a dictionary or sparse, or if an output is text.
   */
  planNumbers(plan: PlanHandle): number[] | undefined;
  /**
   * Pins two arrays for `predictNumbers` until the thread ends. The first array receives the
   * numbers of a row, the second array the numbers of its answer. Never detach or resize their
   * buffers.
   * @param earlier The first array of a pair that this call replaces. The arrays of that pair are
   * released, and the pair has the same number.
   * @returns the number of the pair.
   * @throws ERR_NATIVE_ARGUMENT when `earlier` is not the first array of a pair.
   */
  numbersPin(input: Float64Array, output: Float64Array, earlier?: Float64Array): number;
  /**
   * Runs a plan on the row in the first array of a pair: the elements of all inputs, one input
   * after another, without unused inputs. Writes the plan's numbers to the second array. It
   * allocates no memory once scratch is warm.
   */
  predictNumbers(plan: PlanHandle, pair: number): void;
  /**
   * Runs a plan on any number of rows, in blocks.
   * @param columns One column for each plan input: an array of texts, or `rows * size` numbers.
   * @param out Receives the rows one after another. Each row holds the outputs of the plan one
   * after another.
   */
  predictRows(
    plan: PlanHandle,
    columns: readonly (readonly (string | Uint8Array)[] | Float64Array | BigInt64Array)[],
    rows: number,
    out: Float64Array,
  ): void;

  /**
   * Runs a plan as `predictRows` does, and adds the time of each stage to the element of
   * `nanoseconds` with the stage's index. The times do not include reading the columns and writing
   * `out`.
   */
  profileRows(
    plan: PlanHandle,
    columns: readonly (readonly (string | Uint8Array)[] | Float64Array | BigInt64Array)[],
    rows: number,
    out: Float64Array,
    nanoseconds: Float64Array,
  ): void;

  /**
   * Runs a part of a plan whose other stages run in JavaScript. Input and output columns can have
   * any kind. The elements of a column have the type of its plan slot.
   * @param columns One column for each plan input; numbers are in the typed array of the slot's
   * element type.
   * @returns one column for each plan output. A label is its index, in an `Int32Array`.
   * @param nanoseconds Receives times as for `profileRows`, if present.
   */
  runColumns(
    plan: PlanHandle,
    columns: readonly NativeColumn[],
    rows: number,
    nanoseconds?: Float64Array | undefined,
  ): NativeColumn[];

  /**
   * Returns the names of the kernels of tensor programs. The index of a name is the number that
   * `tensorRun` takes.
   */
  tensorKernels(): string[];
  /**
   * Runs a kernel of tensor programs on this thread. It reads and writes the tensors in
   * JavaScript's memory (README section 5).
   *
   * @param tensors The result, then the operands: `Float32Array`, `Float64Array`, `Int32Array`,
   * `BigInt64Array`.
   * @param numbers Shapes and attributes. Every call checks them against the lengths of the
   * tensors.
   * @throws ERR_NATIVE_ARGUMENT for invalid arguments, before it writes a result.
   * @throws ERR_NATIVE_MEMORY when working memory runs out.
   */
  tensorRun(isa: Isa, kernel: number, tensors: readonly (NodeJS.TypedArray | undefined)[], numbers: Float64Array): void;

  /**
   * Creates a scheduler and its group 0. This thread becomes the scheduler's submitter.
   * @param completed Called when chunks are finished. The next call happens only after `chunkNext`
   * returned -1.
   * @param vectorsPerClass The number of pooled vectors of one size class that an executor stores
   * for later chunks, up to 1024; default 16.
   * @param vectorBytes The maximal bytes of the pooled vectors that an executor stores; default
   * unlimited.
   */
  schedulerCreate(completed: () => void, vectorsPerClass?: number, vectorBytes?: number): SchedulerToken;
  /** Ends all leases and drops chunks in flight. A scheduler also closes when its thread ends. */
  schedulerClose(scheduler: SchedulerToken): void;
  /**
   * Sets whether the scheduler keeps the process alive while chunks run. By default it does not.
   */
  schedulerRef(scheduler: SchedulerToken, isHeld: boolean): void;
  /**
   * Returns the number of times that buffers of chunks grew. Also returns the number and the bytes
   * of the buffers that were freed because they were too large to reuse.
   */
  schedulerStats(scheduler: SchedulerToken): { inputGrows: number; overflows: number; overflowBytes: number };
  /** Creates a group of executors that are reserved for one plan, with separate queues. */
  groupCreate(scheduler: SchedulerToken, vectorsPerClass?: number, vectorBytes?: number): number;
  /** Closes the group and ends its leases. Remove its plans first. */
  groupClose(scheduler: SchedulerToken, group: number): void;
  /** Returns the number of chunks of the group that wait for an executor. */
  groupWaiting(scheduler: SchedulerToken, group: number): number;
  /** Returns the number of executors that work for the group now. */
  groupExecutors(scheduler: SchedulerToken, group: number): number;
  groupStats(scheduler: SchedulerToken, group: number): GroupStatistics;
  /**
   * Writes three numbers for each of 12 size classes: the bytes of one pooled vector, the number of
   * pooled vectors of the group and its executors (lent or spare), and their bytes.
   */
  groupVectors(scheduler: SchedulerToken, group: number, out: Float64Array): void;

  /**
   * Lets the executors of a group run a plan. Returns the number of the plan's queue.
   * @param priority 0, 1 or 2. Chunks of priority 0 run first.
   * @param weight The plan's share of the time among plans of one priority, 0.001 to 1000.
   * @param nanosPerRow The estimated cost of a row. The scheduler corrects it by measurements.
   * @param sparseBytesPerRow The estimated bytes of values that are not dense, in a pooled vector.
   * Without an estimate, the scheduler measures them on chunks.
   */
  planSchedule(
    scheduler: SchedulerToken,
    plan: PlanHandle,
    group: number,
    priority: number,
    weight: number,
    nanosPerRow: number,
    sparseBytesPerRow?: number,
  ): number;
  /**
   * Allocates pooled vectors for a plan, and holds them until its group is closed. Executors of the
   * group use these pooled vectors before they allocate others.
   * @param vectors 0 to 1024
   */
  vectorsHold(scheduler: SchedulerToken, queue: number, vectors: number): void;
  /**
   * Removes a plan. Cancels its waiting chunks immediately, and its running chunks after their
   * current stage.
   */
  planUnschedule(scheduler: SchedulerToken, queue: number): void;
  /**
   * Reads every page of the plan's parameters, so that the operating system maps the pages.
   * Allocates the temporary buffers that the plan needs on the calling thread. Returns the size in
   * bytes of the parameters and of the memory that kernels prepared from them.
   */
  planTouch(plan: PlanHandle): number;

  /**
   * Copies rows into one chunk and submits it. The chunk takes as many rows as it can, from `first`
   * up to `end`. `columns` hold `total` rows. Returns the number of copied rows.
   * @param ticket An unused number below 2^20. It identifies the chunk until `chunkTake`.
   * @param isTimed Whether to measure each stage; `chunkTake` returns the times. Default false.
   * @throws ERR_NATIVE_INPUT as `predictRows` does. In that case nothing was submitted.
   */
  chunkSubmit(
    scheduler: SchedulerToken,
    ticket: number,
    queue: number,
    columns: readonly (readonly (string | Uint8Array)[] | Float64Array | BigInt64Array)[],
    first: number,
    end: number,
    total: number,
    isTimed?: boolean,
  ): number;
  /** Cancels the chunk before its next stage. `chunkNext` still returns its ticket. */
  chunkCancel(scheduler: SchedulerToken, ticket: number): void;
  /**
   * Returns the ticket of a finished chunk, or -1 if no chunk is finished. After -1, the scheduler
   * calls `completed` for the next finished chunk.
   */
  chunkNext(scheduler: SchedulerToken): number;
  /**
   * Copies the answers of a finished chunk to `out`, or returns why the chunk has no answers. You
   * may use its ticket again afterwards.
   * @param nanoseconds Receives the time of each stage, if the chunk was timed and has answers.
   */
  chunkTake(
    scheduler: SchedulerToken,
    ticket: number,
    out: Float64Array,
    nanoseconds?: Float64Array | undefined,
  ): ChunkFailure | undefined;

  /**
   * Makes this thread an executor of a group. The scheduler may belong to any thread. Blocks for at
   * most `runMs`, or until no chunk arrived for `lingerMs` (both up to 1000). Returns 0 when idle,
   * 1 when the time is up, 2 when the group is closed.
   * @param nice Lowers the priority of this thread once, by 0 to 19 (default 0). Only on Linux:
   * elsewhere a priority applies to the whole process.
   * @param cpus Pins this thread to CPUs, once. Only on Linux: elsewhere it is ignored.
   */
  executorRun(
    scheduler: SchedulerToken,
    group: number,
    runMs: number,
    lingerMs: number,
    nice?: number,
    cpus?: readonly number[] | undefined,
  ): number;
  /**
   * Returns the numbers of the CPUs on which this process may run, or undefined if the system does
   * not report them, or cannot pin threads.
   */
  allowedCpus(): number[] | undefined;

  /**
   * Returns freed memory of the whole process to the system (glibc only). It takes milliseconds.
   * Call it after you load models.
   */
  trimMemory(): void;

  /**
   * Returns the bytes of this thread's scratch, and the number of times that it grew. Both are
   * constant after warm-up.
   */
  contextStats(): { scratchBytes: number; grows: number };

  /**
   * Frees the scratch of this thread. The next prediction allocates what it needs. Call it after an
   * unusually large prediction.
   */
  contextRelease(): void;
}
