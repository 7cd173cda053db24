/** The addon, or undefined if it could not be loaded. Loading never throws. */
export const addon: NativeAddon | undefined;
/** Why the addon could not be loaded and what to do. `code` is `ERR_NATIVE_LOAD`. */
export const error: (Error & { readonly code: 'ERR_NATIVE_LOAD' }) | undefined;

/**
 * A number that stands for a native object: an integer below 2^53 with a kind and a generation. A
 * released handle causes `ERR_NATIVE_HANDLE`.
 */
export type ParameterHandle = number & { readonly __handle?: 'parameter' };
export type StageHandle = number & { readonly __handle?: 'stage' };
export type FileHandle = number & { readonly __handle?: 'file' };
export type ResultsHandle = number & { readonly __handle?: 'results' };
export type PlanHandle = number & { readonly __handle?: 'plan' };

/** Instruction sets kernels are compiled for. On arm64 `baseline` is NEON. */
export type Isa = 'baseline' | 'avx2' | 'avx512';

/**
 * `code` of every error that the addon throws. `ERR_NATIVE_MEMORY`: scratch could not grow, and the
 * thread can still run predictions.
 */
export type NativeErrorCode =
  | 'ERR_NATIVE_ARGUMENT'
  | 'ERR_NATIVE_PROGRAM'
  | 'ERR_NATIVE_PARAMETER'
  | 'ERR_NATIVE_INPUT'
  | 'ERR_NATIVE_HANDLE'
  | 'ERR_NATIVE_MEMORY';

/**
 * The token of a scheduler. It is valid in the whole process, so that threads other than the
 * submitter can run executors.
 */
export type SchedulerToken = number & { readonly __handle?: 'scheduler' };

/**
 * Why a chunk has no answers: a kernel rejected a row, memory ran out, or `chunkCancel` or
 * `planUnschedule` canceled the chunk.
 */
export interface ChunkFailure {
  readonly end: 'refused' | 'memory' | 'cancelled';
  /** The first rejected row of the chunk. */
  readonly row: number;
  readonly message?: string;
}

/** Counts of a group since its creation. */
export interface GroupStatistics {
  /** Stages that ran for chunks, finished chunks, and their rows. */
  readonly events: number;
  readonly chunks: number;
  readonly rows: number;
  /** Chunks that an executor put back between two stages, to run more urgent ones. */
  readonly preempted: number;
  /** Times that an executor found no chunk and slept. */
  readonly parked: number;
  /**
   * Bytes of the executors' scratch and vectors, and how often a buffer grew. Both are constant
   * after warm-up.
   */
  readonly scratchBytes: number;
  readonly grows: number;
  /** Vectors that were created, and plans that moved to a larger size class. */
  readonly vectorsMade: number;
  readonly vectorsRaised: number;
  /** Vectors that were freed because they exceeded the class of their plan. */
  readonly overflows: number;
  readonly overflowBytes: number;
  /** Vectors that were freed because an executor had reached its limits. */
  readonly released: number;
  readonly releasedBytes: number;
}

/** Slot numbers and program words: an `Int32Array`, or an array of integers. */
export type Integers = Int32Array | readonly number[];

/**
 * A stage program (README section 2). It is checked as a whole: after `stageCreate` its kernels
 * cannot leave their buffers.
 */
export interface StageSource {
  readonly isa: Isa;
  /**
   * Three numbers for each slot: kind (0 text, 1 sparse, 2 dense, 3 dictionary), dtype (0 float32
   * .. 5 label index), columns a row.
   */
  readonly slots: Integers;
  /**
   * For each instruction: kernel, nIn, nOut, nParam, nAttr, input slots, output slots, indices into
   * `parameters`, attributes.
   */
  readonly instructions: Integers;
  /**
   * The stage takes a reference to each parameter. It holds them as long as the stage, or a plan
   * with it, exists.
   */
  readonly parameters: readonly ParameterHandle[] | Float64Array;
  readonly inputs: Integers;
  readonly outputs: Integers;
}

export interface PlanSource {
  /**
   * Stages in the order in which they run. The plan holds them, so you may release them afterwards.
   */
  readonly stages: readonly StageHandle[] | Float64Array;
  /**
   * For each stage: nIn, nOut, then the numbers of its plan slots. A plan has one slot for each
   * plan input and each stage output.
   */
  readonly wiring: Integers;
  /**
   * Plan slots that receive rows: text, dense, dictionary, or (with `runColumns` only) sparse. A
   * slot that no stage reads is ignored.
   */
  readonly inputs: Integers;
  /**
   * Plan slots that `out` receives, one after another: dense, or sparse with all its columns. With
   * `runColumns` also text.
   */
  readonly outputs: Integers;
  /** Longest row of text in UTF-8 bytes, at most 2^28. A longer one causes `ERR_NATIVE_INPUT`. */
  readonly maxInputBytes: number;
}

/**
 * One value for all rows: texts; numbers row after row (bool as `Uint8Array`); or sparse rows (CSR,
 * with distinct ids in a row).
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
  /** The loader rejects an addon with another version. */
  readonly abiVersion: number;
  /** Returns the instruction sets that this machine supports, slowest first. */
  isas(): Isa[];
  /**
   * Returns the names of the kernels. The index of a name is the number of the kernel in stage
   * programs.
   */
  kernels(): string[];

  /**
   * Copies `bytes` into 64-byte aligned memory of the process under `id`, or shares the existing
   * copy. Takes one reference. The cost is O(bytes) in both cases, because bytes under an equal id
   * are compared.
   * @throws ERR_NATIVE_PARAMETER when `id` holds other bytes.
   */
  parameterPut(id: string, bytes: NodeJS.TypedArray): ParameterHandle;
  /** Returns the content checksum of the bytes: 32 hexadecimal digits, two seeded XXH64 sums. */
  parameterChecksum(bytes: NodeJS.TypedArray): string;
  /**
   * Returns whether every table, list and string of a FlatBuffer is inside it and aligned, and none
   * is reached twice.
   *
   * @param tables for each table: the number of its fields, then four numbers for each field: its
   * bytes; bytes of an element if it is a list; 1 list + 2 bool + 4 string; number of the table
   * that it points to, or -1.
   * @param root number of the first table.
   * @throws ERR_NATIVE_ARGUMENT for an invalid description.
   */
  manifestIsSound(bytes: NodeJS.TypedArray, tables: Int32Array, root: number): boolean;
  /**
   * Takes another reference. The parameter may come from another thread, because parameter handles
   * are valid in the whole process.
   */
  parameterRetain(handle: ParameterHandle): void;
  /**
   * Releases one reference of this thread. The last release in the process returns the memory to
   * the system.
   */
  parameterRelease(handle: ParameterHandle): void;
  /** Returns a copy of the parameter's bytes. */
  parameterCopy(handle: ParameterHandle): Uint8Array;
  /**
   * Returns `parameterChecksum` of a range of a parameter's bytes.
   * @throws ERR_NATIVE_ARGUMENT when the range is not inside the parameter.
   */
  parameterRangeChecksum(handle: ParameterHandle, offset: number, length: number): string;
  /** As `parameterPut`, with a range of another parameter's bytes. */
  parameterPutRange(handle: ParameterHandle, offset: number, length: number, id: string): ParameterHandle;
  /** Returns the number of parameters of the whole process, and their bytes. */
  parameterStats(): { objects: number; bytes: number };

  /**
   * Maps a regular file of `bytes` bytes read-only, as a whole. You may close the descriptor
   * afterwards. On systems that cannot map files, this function and the other file functions are
   * not exported.
   * @param prefault true reads the whole file now (Linux); false reads each page at first use.
   * @throws ERR_NATIVE_ARGUMENT when the file is not a regular file, or has another size.
   */
  fileMap?(descriptor: number, bytes: number, prefault: boolean): FileHandle;
  /**
   * Returns the content checksum of a range of a file: 32 hexadecimal digits, two seeded XXH64
   * sums.
   */
  fileChecksum?(file: FileHandle, offset: number, length: number): string;
  fileIsZero?(file: FileHandle, offset: number, length: number): boolean;
  /**
   * As `parameterPut`, but new bytes are not copied: the parameter points into the mapped file.
   * `offset` is a multiple of 64, and 64 more bytes of the file must follow the range. The file
   * stays mapped while such a parameter exists.
   * @param compare whether existing bytes under `id` are compared with the range; if false, only
   * their number is compared.
   */
  fileParameter?(file: FileHandle, offset: number, length: number, id: string, compare: boolean): ParameterHandle;
  /** Releases the file. Parameters that point into it stay valid. */
  fileRelease?(file: FileHandle): void;

  stageCreate(source: StageSource): StageHandle;
  /** Releases the stage. Plans that use the stage still hold it. */
  stageRelease(handle: StageHandle): void;
  planCreate(source: PlanSource): PlanHandle;
  planRelease(handle: PlanHandle): void;

  /**
   * Creates a cache with a memory budget for results of stages. The cache finds the result of one
   * row by all bytes of the stage's input, and does not copy it. It evicts the least recently used
   * results first. The cache belongs to this thread.
   */
  resultsCreate(maxBytes: number): ResultsHandle;
  /** Switches lookups and additions on or off. Existing results stay in the cache. */
  resultsSwitch(results: ResultsHandle, isOn: boolean): void;
  /**
   * Returns the counts of a cache. `bytes` is estimated memory, at most `maxBytes`. A hit is a
   * stage that did not run.
   */
  resultsStats(results: ResultsHandle): {
    hits: number;
    misses: number;
    evictions: number;
    entries: number;
    bytes: number;
  };
  /** Frees all results. Their stages do not cache results afterwards. */
  resultsRelease(results: ResultsHandle): void;
  /**
   * Caches the stage's results of single rows (`predictText`, and blocks of one row), in every plan
   * with the stage. While inputs rarely repeat, nothing is added. Blocks of several rows and
   * `profileRows` do not use the cache.
   */
  stageKeepResults(stage: StageHandle, results: ResultsHandle): void;
  /** Frees the cached results of the stage. `stageRelease` also frees them. */
  stageForgetResults(stage: StageHandle): void;

  /**
   * Runs a plan with one text input on one row. It allocates nothing once scratch is warm.
   * @param text a string (a lone surrogate becomes U+FFFD), or valid UTF-8.
   * @param out room for the plan's numbers; elements after them do not change.
   * @throws ERR_NATIVE_INPUT when text is too long, or not valid UTF-8.
   */
  predictText(plan: PlanHandle, text: string | Uint8Array, out: Float64Array): void;
  /**
   * Runs a plan on any number of rows, in blocks.
   * @param columns one for each plan input: an array of texts, or `rows * size` numbers.
   * @param out row after row, the plan's outputs one after another.
   */
  predictRows(
    plan: PlanHandle,
    columns: readonly (readonly (string | Uint8Array)[] | Float64Array)[],
    rows: number,
    out: Float64Array,
  ): void;

  /**
   * As `predictRows`, and adds the time of each stage to its element of `nanoseconds`, which has
   * one element for each stage of the plan. The time for reading the columns and writing `out` is
   * not counted.
   */
  profileRows(
    plan: PlanHandle,
    columns: readonly (readonly (string | Uint8Array)[] | Float64Array)[],
    rows: number,
    out: Float64Array,
    nanoseconds: Float64Array,
  ): void;

  /**
   * Runs part of a plan whose other stages run in JavaScript. Input and output columns have any
   * kind, each with its element type.
   * @param columns one for each plan input; numbers in the typed array of the slot's element type.
   * @returns one column for each plan output. A label is its number, in an `Int32Array`.
   * @param nanoseconds optional, as for `profileRows`.
   */
  runColumns(
    plan: PlanHandle,
    columns: readonly NativeColumn[],
    rows: number,
    nanoseconds?: Float64Array | undefined,
  ): NativeColumn[];

  /**
   * Returns the names of the kernels of tensor programs. The index of a name is its number for
   * `tensorRun`.
   */
  tensorKernels(): string[];
  /**
   * Runs a kernel of tensor programs on this thread, in the memory of the tensors (README section
   * 5).
   * @param tensors the result, then the operands: `Float32Array`, `Float64Array`, `Int32Array`,
   * `BigInt64Array`.
   * @param numbers shapes and attributes; every call checks them against the lengths of the
   * tensors.
   * @throws ERR_NATIVE_ARGUMENT before anything is written; ERR_NATIVE_MEMORY.
   */
  tensorRun(isa: Isa, kernel: number, tensors: readonly (NodeJS.TypedArray | undefined)[], numbers: Float64Array): void;

  /**
   * Creates a scheduler with this thread as its submitter, and its group 0.
   * @param completed called when chunks are finished; it is called again only after `chunkNext`
   * returned -1.
   * @param vectorsPerClass vectors of one size class that an executor holds for later chunks, up to
   * 1024; default 16.
   * @param vectorBytes maximal bytes of the vectors that an executor holds; default unlimited.
   */
  schedulerCreate(completed: () => void, vectorsPerClass?: number, vectorBytes?: number): SchedulerToken;
  /** Ends all leases and drops chunks in flight. The scheduler also ends with its thread. */
  schedulerClose(scheduler: SchedulerToken): void;
  /** Sets whether completions keep the process alive. They do not by default. */
  schedulerRef(scheduler: SchedulerToken, isHeld: boolean): void;
  /**
   * Returns how often buffers of chunks grew, and how many were freed because they were too large
   * to reuse.
   */
  schedulerStats(scheduler: SchedulerToken): { inputGrows: number; overflows: number; overflowBytes: number };
  /** Creates another group of executors, with separate queues. */
  groupCreate(scheduler: SchedulerToken, vectorsPerClass?: number, vectorBytes?: number): number;
  /** Ends the leases of the group. Remove its plans first. */
  groupClose(scheduler: SchedulerToken, group: number): void;
  /** Returns the number of chunks that wait for an executor. */
  groupWaiting(scheduler: SchedulerToken, group: number): number;
  /** Returns the number of executors that are in the group now. */
  groupExecutors(scheduler: SchedulerToken, group: number): number;
  groupStats(scheduler: SchedulerToken, group: number): GroupStatistics;
  /**
   * Writes three numbers for each of 12 size classes: the bytes of a vector, the number of vectors
   * of the executors (lent or spare), and the bytes that those vectors hold.
   */
  groupVectors(scheduler: SchedulerToken, group: number, out: Float64Array): void;

  /**
   * Lets executors of a group run a plan. Returns the number of its queue.
   * @param priority 0, 1 or 2; 0 is always served first.
   * @param weight share of the time among plans of one priority, 0.001 to 1000.
   * @param nanosPerRow estimated cost of a row; the scheduler corrects it by measurements.
   * @param sparseBytesPerRow estimated bytes of vectors that are not dense; without an estimate,
   * the scheduler learns them from chunks.
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
   * Removes a plan. Its waiting chunks are canceled at once, running chunks after their current
   * stage.
   */
  planUnschedule(scheduler: SchedulerToken, queue: number): void;
  /**
   * Reads all pages of the plan's parameters and reserves this thread's scratch. Returns the bytes
   * of the parameters.
   */
  planTouch(plan: PlanHandle): number;

  /**
   * Copies rows into one chunk and submits it: as many rows from `first` up to `end` as one chunk
   * takes. `columns` hold `total` rows. Returns the number of copied rows.
   * @param ticket a number below 2^20 that is not in use: the caller's name for the chunk until
   * `chunkTake`.
   * @param isTimed whether to read the clock around each stage; `chunkTake` returns the times.
   * Default false.
   * @throws ERR_NATIVE_INPUT as `predictRows`; then nothing was submitted.
   */
  chunkSubmit(
    scheduler: SchedulerToken,
    ticket: number,
    queue: number,
    columns: readonly (readonly (string | Uint8Array)[] | Float64Array)[],
    first: number,
    end: number,
    total: number,
    isTimed?: boolean,
  ): number;
  /** Cancels the chunk before its next stage. `chunkNext` returns it like every other chunk. */
  chunkCancel(scheduler: SchedulerToken, ticket: number): void;
  /**
   * Returns the ticket of a finished chunk, or -1 if there is none. After -1, the next finished
   * chunk calls `completed`.
   */
  chunkNext(scheduler: SchedulerToken): number;
  /**
   * Copies the answers of a finished chunk to `out`, or returns why it has no answers. Its ticket
   * is then free again.
   * @param nanoseconds receives the time of each stage, if the chunk was timed and has answers.
   */
  chunkTake(
    scheduler: SchedulerToken,
    ticket: number,
    out: Float64Array,
    nanoseconds?: Float64Array | undefined,
  ): ChunkFailure | undefined;

  /**
   * Makes this thread an executor of a group, for a scheduler of any thread. Blocks for at most
   * `runMs`, or until no chunk arrived for `lingerMs` (both up to 1000). Returns 0: idle, 1: the
   * time is up, 2: the group is closed.
   */
  executorRun(scheduler: SchedulerToken, group: number, runMs: number, lingerMs: number): number;

  /**
   * Returns freed memory of the whole process to the system (glibc only). Takes milliseconds; call
   * it after you loaded models.
   */
  trimMemory(): void;

  /**
   * Returns the bytes of this thread's scratch, and how often it grew. Both are constant after
   * warm-up.
   */
  contextStats(): { scratchBytes: number; grows: number };

  /**
   * Frees the scratch of this thread. The next prediction allocates what it needs. Call it after an
   * unusually large prediction.
   */
  contextRelease(): void;
}
