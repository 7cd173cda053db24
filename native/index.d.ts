/**
 * The addon where it could be loaded, else an error whose message says what to do. Loading never
 * throws.
 */
export const addon: NativeAddon | undefined;
/** Why there is no addon. `code` is `ERR_NATIVE_LOAD`. */
export const error: (Error & { readonly code: 'ERR_NATIVE_LOAD' }) | undefined;

/**
 * A number that stands for a native object: an integer below 2^53 with a kind and a generation. A
 * stale one is an `ERR_NATIVE_HANDLE`.
 */
export type ParameterHandle = number & { readonly __handle?: 'parameter' };
export type StageHandle = number & { readonly __handle?: 'stage' };
export type FileHandle = number & { readonly __handle?: 'file' };
export type ResultsHandle = number & { readonly __handle?: 'results' };
export type PlanHandle = number & { readonly __handle?: 'plan' };

/** Instruction sets kernels are compiled for. On arm64 `baseline` is NEON. */
export type Isa = 'baseline' | 'avx2' | 'avx512';

/**
 * `code` of every error that the addon throws. `ERR_NATIVE_MEMORY`: scratch could not grow; the
 * thread stays usable.
 */
export type NativeErrorCode =
  | 'ERR_NATIVE_ARGUMENT'
  | 'ERR_NATIVE_PROGRAM'
  | 'ERR_NATIVE_PARAMETER'
  | 'ERR_NATIVE_INPUT'
  | 'ERR_NATIVE_HANDLE'
  | 'ERR_NATIVE_MEMORY';

/** A scheduler; valid in the whole process, so that executors of other threads find it. */
export type SchedulerToken = number & { readonly __handle?: 'scheduler' };

/**
 * Why a chunk has no numbers: a row that a kernel refused, memory, or `chunkCancel` and
 * `planUnschedule`.
 */
export interface ChunkFailure {
  readonly end: 'refused' | 'memory' | 'cancelled';
  /** Of the chunk's rows the first that is refused. */
  readonly row: number;
  readonly message?: string;
}

/** Since the group was created. */
export interface GroupStatistics {
  /** Stages of chunks that ran, chunks that are over, and their rows. */
  readonly events: number;
  readonly chunks: number;
  readonly rows: number;
  /** Chunks that were put back between two stages, for more urgent ones. */
  readonly preempted: number;
  /** Times that an executor found nothing and slept. */
  readonly parked: number;
  /** Scratch and vectors of its executors, and how often some of it grew: flat once warm. */
  readonly scratchBytes: number;
  readonly grows: number;
  /** Vectors that were made, and plans that went to a larger size class. */
  readonly vectorsMade: number;
  readonly vectorsRaised: number;
  /** Vectors that were too large for their plan's class to be kept. */
  readonly overflows: number;
  readonly overflowBytes: number;
  /** Vectors that limits did not let an executor keep. */
  readonly released: number;
  readonly releasedBytes: number;
}

/** Slot numbers and program words: an `Int32Array`, or an array of integers. */
export type Integers = Int32Array | readonly number[];

/**
 * A stage program; README section 2. Checked as a whole: after `stageCreate` its kernels cannot
 * leave their buffers.
 */
export interface StageSource {
  readonly isa: Isa;
  /**
   * Three numbers a slot: kind (0 text, 1 sparse, 2 dense), dtype (0 float32 .. 5 label index),
   * columns a row.
   */
  readonly slots: Integers;
  /**
   * For each: kernel, nIn, nOut, nParam, nAttr, input slots, output slots, indices into
   * `parameters`, attributes.
   */
  readonly instructions: Integers;
  /** The stage takes a reference to each for as long as it, or a plan with it, lives. */
  readonly parameters: readonly ParameterHandle[] | Float64Array;
  readonly inputs: Integers;
  readonly outputs: Integers;
}

export interface PlanSource {
  /** In the order in which they run. The plan keeps them: they may be released afterwards. */
  readonly stages: readonly StageHandle[] | Float64Array;
  /**
   * For each stage: nIn, nOut, then as many plan slots. A plan has as many slots as inputs and
   * stage outputs together.
   */
  readonly wiring: Integers;
  /**
   * Plan slots that are filled with rows: text, dense, or (with `runColumns` only) sparse. One that
   * no stage reads is ignored.
   */
  readonly inputs: Integers;
  /**
   * Plan slots that come out: in `out` one after another, dense, or sparse (which then takes all
   * its columns); with `runColumns` also text.
   */
  readonly outputs: Integers;
  /** Longest text in UTF-8 bytes, at most 2^28. Longer ones are an `ERR_NATIVE_INPUT`. */
  readonly maxInputBytes: number;
}

/**
 * All rows of one value: texts, numbers row after row (bool as `Uint8Array`), or sparse rows (CSR,
 * distinct ids in a row).
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
 * Everything belongs to the calling thread but parameters, which belong to the process. Released
 * when the thread ends.
 */
export interface NativeAddon {
  /** The loader refuses another version than its own. */
  readonly abiVersion: number;
  /** Instruction sets this machine runs, slowest first. */
  isas(): Isa[];
  /** Kernel names; a name's index is the kernel's id in stage programs. */
  kernels(): string[];

  /**
   * Copies `bytes` into 64-byte aligned memory of the process under `id`, or shares what is there.
   * Takes one reference. O(bytes) either way: equal ids are compared byte by byte.
   * @throws ERR_NATIVE_PARAMETER when `id` holds other bytes.
   */
  parameterPut(id: string, bytes: NodeJS.TypedArray): ParameterHandle;
  /** The content checksum of the bytes: 32 hexadecimal digits, two seeded XXH64 sums. */
  parameterChecksum(bytes: NodeJS.TypedArray): string;
  /**
   * Whether every table, list and string of a FlatBuffer lies inside it, aligned, and none is
   * reached twice.
   *
   * @param tables of each table, how many fields, then of each field: its bytes, bytes of an
   * element of a list, 1 list + 2 bool + 4 string, number of the table that it points to or -1.
   * @param root number of the table that it starts with.
   * @throws ERR_NATIVE_ARGUMENT for a wrong description.
   */
  manifestIsSound(bytes: NodeJS.TypedArray, tables: Int32Array, root: number): boolean;
  /**
   * Takes another reference, also to what another thread put: handles of parameters are valid in
   * the whole process.
   */
  parameterRetain(handle: ParameterHandle): void;
  /**
   * Gives back one reference that this thread holds. With the last one in the process the memory
   * goes back to the system.
   */
  parameterRelease(handle: ParameterHandle): void;
  /** A copy for JavaScript. */
  parameterCopy(handle: ParameterHandle): Uint8Array;
  /**
   * `parameterChecksum` of a range of a parameter's bytes. @throws ERR_NATIVE_ARGUMENT when it is
   * not in the parameter.
   */
  parameterRangeChecksum(handle: ParameterHandle, offset: number, length: number): string;
  /** `parameterPut` of a range of another parameter's bytes. */
  parameterPutRange(handle: ParameterHandle, offset: number, length: number, id: string): ParameterHandle;
  /** Of the whole process. `bytes` are those of the parameters themselves. */
  parameterStats(): { objects: number; bytes: number };

  /**
   * Maps a regular file of `bytes` bytes read-only, as a whole. The descriptor may be closed
   * afterwards. Not exported where the system cannot map files; then nor are the other functions
   * for files.
   * @param prefault whether all of it is read at once (Linux), or page by page when it is used.
   * @throws ERR_NATIVE_ARGUMENT when it is no regular file, or has another size.
   */
  fileMap?(descriptor: number, bytes: number, prefault: boolean): FileHandle;
  /** The content checksum of a range: 32 hexadecimal digits, two seeded XXH64 sums. */
  fileChecksum?(file: FileHandle, offset: number, length: number): string;
  fileIsZero?(file: FileHandle, offset: number, length: number): boolean;
  /**
   * As `parameterPut`, but new bytes stay where they lie in the file: from `offset` (a multiple of
   * 64), with 64 more bytes of the file behind them. The file stays mapped as long as such a
   * parameter lives.
   * @param compare whether bytes that are there under `id` already are compared; else only their
   * number is.
   */
  fileParameter?(file: FileHandle, offset: number, length: number, id: string, compare: boolean): ParameterHandle;
  /** Lets the file go; parameters in it stay. */
  fileRelease?(file: FileHandle): void;

  stageCreate(source: StageSource): StageHandle;
  /** Plans that hold the stage keep it. */
  stageRelease(handle: StageHandle): void;
  planCreate(source: PlanSource): PlanHandle;
  planRelease(handle: PlanHandle): void;

  /**
   * A budget for results of stages: what a stage made of one row, found again by all bytes of its
   * input and handed on where it lies. The least recently used go first. Belongs to this thread.
   */
  resultsCreate(maxBytes: number): ResultsHandle;
  /** Off: nothing is looked for nor added; what is there stays. */
  resultsSwitch(results: ResultsHandle, isOn: boolean): void;
  /** `bytes` is estimated memory, at most `maxBytes`. A hit is a stage that did not run. */
  resultsStats(results: ResultsHandle): {
    hits: number;
    misses: number;
    evictions: number;
    entries: number;
    bytes: number;
  };
  /** Lets all of them go; their stages keep nothing any more. */
  resultsRelease(results: ResultsHandle): void;
  /**
   * Keeps what the stage makes of single rows (of `predictText`, and blocks of one row), whichever
   * plan runs it. Where inputs hardly ever come again it stops adding until they do. `run` of
   * blocks and `profileRows` pass it by.
   */
  stageKeepResults(stage: StageHandle, results: ResultsHandle): void;
  /** What is kept of the stage goes. `stageRelease` does that too. */
  stageForgetResults(stage: StageHandle): void;

  /**
   * Runs a plan with one text input on one row. Nothing is allocated once scratch is warm.
   * @param text a string (a lone surrogate becomes U+FFFD), or valid UTF-8.
   * @param out room for the plan's numbers; what lies behind them stays.
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
   * As `predictRows`, and adds the time of each stage to its number in `nanoseconds`, which has
   * room for as many as the plan has stages. Reading the columns and writing `out` belong to no
   * stage.
   */
  profileRows(
    plan: PlanHandle,
    columns: readonly (readonly (string | Uint8Array)[] | Float64Array)[],
    rows: number,
    out: Float64Array,
    nanoseconds: Float64Array,
  ): void;

  /**
   * Runs part of a plan: columns of any kind in and out, each in its own type. For plans of which
   * other stages run in JavaScript.
   * @param columns one for each plan input; numbers in the typed array of the slot's element type.
   * @returns one column for each plan output. A label is its number, in an `Int32Array`.
   * @param nanoseconds as for `profileRows`, if given.
   */
  runColumns(
    plan: PlanHandle,
    columns: readonly NativeColumn[],
    rows: number,
    nanoseconds?: Float64Array | undefined,
  ): NativeColumn[];

  /** Names of the kernels of tensor programs; a name's index is its number for `tensorRun`. */
  tensorKernels(): string[];
  /**
   * Runs a kernel of tensor programs on this thread, over tensors where they lie. README section 5.
   * @param tensors what it writes, then what it reads: `Float32Array`, `Float64Array`,
   * `Int32Array`, `BigInt64Array`.
   * @param numbers shapes and attributes, checked against the lengths of the tensors at every call.
   * @throws ERR_NATIVE_ARGUMENT before anything is written; ERR_NATIVE_MEMORY.
   */
  tensorRun(isa: Isa, kernel: number, tensors: readonly (NodeJS.TypedArray | undefined)[], numbers: Float64Array): void;

  /**
   * A scheduler, of which this thread is the submitter. Group 0 is there from the start.
   * @param completed called when chunks are over; not again before `chunkNext` returned -1.
   * @param vectorsPerClass vectors of one size class that an executor keeps for later chunks, up to
   * 1024; default 16.
   * @param vectorBytes bytes of all that it keeps; default any.
   */
  schedulerCreate(completed: () => void, vectorsPerClass?: number, vectorBytes?: number): SchedulerToken;
  /**
   * Ends all leases; chunks that are on their way are gone. The scheduler also ends with its
   * thread.
   */
  schedulerClose(scheduler: SchedulerToken): void;
  /** Whether completions keep the process alive. Default: not. */
  schedulerRef(scheduler: SchedulerToken, isHeld: boolean): void;
  /** Buffers of chunks: how often they grew, and what was too large to be kept. */
  schedulerStats(scheduler: SchedulerToken): { inputGrows: number; overflows: number; overflowBytes: number };
  /** Another group of executors, with queues of its own. */
  groupCreate(scheduler: SchedulerToken, vectorsPerClass?: number, vectorBytes?: number): number;
  /** Its leases end. Remove its plans first. */
  groupClose(scheduler: SchedulerToken, group: number): void;
  /** Chunks that no executor has. */
  groupWaiting(scheduler: SchedulerToken, group: number): number;
  /** Executors that are in the group now. */
  groupExecutors(scheduler: SchedulerToken, group: number): number;
  groupStats(scheduler: SchedulerToken, group: number): GroupStatistics;
  /**
   * Three numbers of each of 12 size classes: its bytes, the vectors of it that executors have,
   * lent or spare, and what those hold.
   */
  groupVectors(scheduler: SchedulerToken, group: number, out: Float64Array): void;

  /**
   * Lets executors of a group run a plan. Returns the number of its queue.
   * @param priority 0, 1 or 2; 0 is always served first.
   * @param weight share of the time among plans of one priority, 0.001 to 1000.
   * @param nanosPerRow what a row may cost; measured from then on.
   * @param sparseBytesPerRow what statistics foresee for vectors that are not dense; learned from
   * chunks where they are silent.
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
  /** Chunks that wait come back as cancelled at once, those that run after their stage. */
  planUnschedule(scheduler: SchedulerToken, queue: number): void;
  /**
   * Reads all pages of the plan's parameters, and makes room in this thread's scratch; returns the
   * parameters' bytes.
   */
  planTouch(plan: PlanHandle): number;

  /**
   * Copies rows and submits them: from `first` up to `end`, as many as one chunk takes, of the
   * `total` rows of `columns`. Returns how many.
   * @param ticket a number below 2^20 that is not in use: the caller's name for the chunk until
   * `chunkTake`.
   * @param isTimed whether the clock is read around each stage: `chunkTake` tells. Default false.
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
  /** The chunk ends before its next stage. It comes back like every other. */
  chunkCancel(scheduler: SchedulerToken, ticket: number): void;
  /** The ticket of a chunk that is over, or -1: then `completed` is called for the next one. */
  chunkNext(scheduler: SchedulerToken): number;
  /**
   * Copies the numbers of a chunk that is over to `out`, or tells why there are none. Its ticket is
   * free again.
   * @param nanoseconds filled with what each stage of a chunk took that was timed and answered.
   */
  chunkTake(
    scheduler: SchedulerToken,
    ticket: number,
    out: Float64Array,
    nanoseconds?: Float64Array | undefined,
  ): ChunkFailure | undefined;

  /**
   * Makes this thread an executor of a group, of any thread's scheduler, for at most `runMs`, or
   * until nothing was there for `lingerMs` (both up to 1000). Blocks. Returns 0: idle, 1: the time
   * is up, 2: the group is closed.
   */
  executorRun(scheduler: SchedulerToken, group: number, runMs: number, lingerMs: number): number;

  /**
   * Gives memory that was freed, in this process and not only by the addon, back to the system:
   * worth a call after models were loaded. Does something with glibc only; takes milliseconds.
   */
  trimMemory(): void;

  /** Scratch of this thread, and how often some of it grew: flat once warm. */
  contextStats(): { scratchBytes: number; grows: number };

  /**
   * Frees the scratch of this thread; the next prediction allocates what it needs. Worth a call
   * after one of an unusual size.
   */
  contextRelease(): void;
}
