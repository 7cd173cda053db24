import {
  type Backend,
  type CompiledPlan,
  dtypeOf,
  type KernelTable,
  PLAN_VERSION,
  type RunnableTensors,
  type ValueType,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { admit, type Row } from './admission.js';
import { type CallLimits, type CallOptions, callLimits } from './admission-control/call-limits.js';
import { Queue, type QueueLimits } from './admission-control/queue.js';
import { type Answer, answerFromBlocks, answerFromNumbers, numbersFromBlocks } from './answers.js';
import { type AsynchronousCall, answerBatch, answerInItsTurn, answerLater, type BatchRun } from './asynchronous.js';
import { CachedPlan } from './cache/cached-plan.js';
import { keepingEngine } from './cache/kept-answers.js';
import { Materialization, type MaterializationOptions } from './cache/materialization.js';
import { Catalog, type CatalogStage, type NativeTarget } from './catalog.js';
import { DelayedBatching } from './delayed-batching.js';
import { type AnswerBlock, javaScriptBlocks, nativeBlocks, runAtOnce } from './engines/batch.js';
import { batchEngine, type EngineChoice, type EngineName, isLong, rowEngine } from './engines/choose-engine.js';
import { type JavaScriptMode, JavaScriptPlan, type PlanPart } from './engines/javascript.js';
import { PlanBoxes } from './engines/plan-boxes.js';
import { planParts } from './engines/plan-parts.js';
import { runRow } from './engines/request-response.js';
import { runtimeError } from './errors.js';
import { type ExecutorDoor, executorDoor } from './executors/door.js';
import { DEFAULT_SCHEDULING } from './executors/scheduling-options.js';
import { answerGroup, answerMany, type FanOutEngines, writeMany } from './fan-out/answer-many.js';
import { PlanSets } from './fan-out/plan-sets.js';
import { answerIsolated, isolatedError } from './isolation/answer-isolated.js';
import { isolatedPlan } from './isolation/isolated-plan.js';
import { type IsolatedPlan, Isolation, type IsolationParts } from './isolation/isolation.js';
import { PlanGuard } from './isolation/plan-guard.js';
import type { Isa, NativeKernels } from './native.js';
import { EventLoopLag } from './observation/event-loop-lag.js';
import { Latencies, type LatencyOptions } from './observation/latencies.js';
import { observesSync, PredictionTrace, traceOf } from './observation/prediction-trace.js';
import { StageLatencies, sampled, sampledBlocks } from './observation/stage-latencies.js';
import { type PlanProfile, type ProfileOptions, profilePlan } from './profile.js';
import {
  type CheckedOptions,
  checkBoxed,
  checkedDrain,
  checkedMaterialization,
  checkedOptions,
  checkedSampling,
  type RegisterOptions,
  type Sampling,
} from './register-options.js';
import type { PlanRecord, RegisteredPlan } from './registered-plan.js';
import { stageBytes } from './stage-bytes.js';
import { parameterBytesOf, type RuntimeStatistics, runtimeStatistics } from './statistics.js';
import { answerStream, checkStream, type RowSource, type StreamOptions } from './stream/answer-stream.js';
import type { TensorInputs } from './tensors/admit-tensors.js';
import { withBackend } from './tensors/backends.js';
import { runTensors, type TensorCallOptions, type TensorOutputs } from './tensors/predict-tensors.js';
import {
  type RegisteredTensors,
  type RegisterTensorsOptions,
  type TensorsRecord,
  tensorsRecord,
} from './tensors/registered-tensors.js';
import { type WarmOptions, type Warmth, warmPlan } from './warm.js';

export interface RuntimeParts {
  /** Where the plans' parameters are. */
  readonly store: ObjectStore;
  /** Reference kernels of every operator, and fast JavaScript kernels. */
  readonly kernels: KernelTable;
  /** The addon; without it everything runs in JavaScript. Its memory must be the store's. */
  readonly native?: NativeKernels | undefined;
  /** Module that loads the addon in another thread; without it there are no executors. */
  readonly addon?: string | undefined;
  /** Worker threads that answer batches; 0: the calling thread does. Default: as many as this process may use cores. */
  readonly executors?: number | undefined;
  /** Instruction set of the addon's kernels; default: the best this machine has. Answers do not depend on it. */
  readonly isa?: string | undefined;
  /** Worker threads for plans with operators that may not end. */
  readonly isolation?: IsolationParts | undefined;
  /** How much may wait for an answer at once. Default: any number of rows. */
  readonly limits?: QueueLimits | undefined;
  /** Measures the time from call to answer, a plan and a verb. Default: not; it takes 0.1 µs a measured call and 30 KiB a plan and verb. */
  readonly latencies?: boolean | LatencyOptions | undefined;
  /** Watches how late timers of this thread are, from now until `close()`. Default: not. */
  readonly eventLoopLag?: boolean | undefined;
  /** Results of stages that several plans share are kept, and found again by their input. Default: in 16 MiB; false: none are. */
  readonly materialization?: MaterializationOptions | false | undefined;
  /** Other runtimes that run black boxes. They stay their owner's: `close()` lets go of what was opened here alone. */
  readonly backends?: readonly Backend[] | undefined;
}

export interface CloseOptions {
  /** How long predictions that run or wait may go on, in milliseconds, before they are told that the runtime is closed. Default 0. */
  readonly drainMs?: number;
}

export interface BatchOptions extends CallOptions {
  /** Default: what the plan was registered with, or `batch`. */
  readonly engine?: EngineName;
}

export interface PredictOptions extends CallOptions {
  /** Default: what the plan was registered with; or at once, if the row is expected to take less than a millisecond. */
  readonly engine?: Exclude<EngineName, 'reference'>;
}

const REFERENCE_FACTOR = 15;
/** Of plans that the runtime makes itself. */
const NO_OPTIONS = { engine: undefined, quarantine: undefined, scheduling: DEFAULT_SCHEDULING };

/**
 * Runs compiled plans. Belongs to the thread that created it.
 *
 * @example
 * const plan = runtime.register(compiled);
 * runtime.predictSync(plan, { text: 'a good film' }); // { label: 1, probabilities: [0.2, 0.8] }
 */
export class Runtime {
  readonly #parts: RuntimeParts;
  readonly #catalog: Catalog;
  readonly #plans = new Map<RegisteredPlan, PlanRecord>();
  readonly #tensors = new Map<RegisteredTensors, TensorsRecord>();
  readonly #target: NativeTarget | undefined;
  readonly #queue: Queue;
  readonly #sampling: Sampling | undefined;
  readonly #eventLoopLag: EventLoopLag | undefined;
  readonly #materialization: Materialization | undefined;
  readonly #executors: ExecutorDoor;
  readonly #fanOut: FanOutEngines;
  readonly #planSets: PlanSets;
  #backends: readonly Backend[] = [];
  readonly #isolation: Isolation | undefined;
  #closed = false;

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
    for (const backend of parts.backends ?? []) this.registerBackend(backend);
    this.#queue = new Queue(parts.limits);
    this.#sampling = checkedSampling(parts.latencies);
    this.#target = parts.native && { kernels: parts.native, isa: chooseIsa(parts.native, parts.isa) };
    this.#catalog = new Catalog(parts.store, this.#target);
    const kept = checkedMaterialization(parts.materialization);
    if (kept !== undefined) this.#materialization = new Materialization(kept, parts.native, parts.store.checksum);
    this.#executors = executorDoor(parts);
    this.#fanOut = { kernels: this.#target?.kernels, fallback: (record) => this.#fallback(record) };
    this.#planSets = new PlanSets({
      recordOf: (plan) => {
        const record = this.#record(plan);
        if (record.isolated !== undefined) throw isolatedError(record, 'predictMany');
        return record;
      },
      link: ({ compiled, stages }, maxInputBytes) => this.#linked(compiled.name, compiled, stages, maxInputBytes),
      unlink: (record) => this.#unlink(record),
    });
    this.#isolation = parts.isolation && new Isolation(parts.isolation, parts.store);
    this.#eventLoopLag = parts.eventLoopLag ? new EventLoopLag() : undefined;
  }

  /** Where the plans' parameters are. */
  get store(): ObjectStore {
    return this.#parts.store;
  }

  /** Other runtimes that run black boxes. */
  get backends(): readonly Backend[] {
    return this.#backends;
  }

  /**
   * Adds another runtime, for the black boxes of programs that are registered from now on. The first that takes a format gets its models.
   *
   * @throws ERR_RUNTIME_BACKEND for what is no backend, or has the name of another.
   * @example runtime.registerBackend(onnxruntimeBackend());
   */
  registerBackend(backend: Backend): void {
    this.#checkOpen();
    this.#backends = withBackend(this.#backends, backend);
  }

  /** Instruction set of the native kernels, or undefined where JavaScript does the work. */
  get isa(): string | undefined {
    return this.#target?.isa;
  }

  /**
   * Adds a plan: stages that other plans brought are shared. The runtime holds its own references to the parameters.
   *
   * @throws ERR_RUNTIME_VERSION for a plan of another version, ERR_RUNTIME_OPTION, ERR_RUNTIME_OPERATOR for one with an operator that this thread has
   * not defined, ERR_BACKEND_MISSING for one with black boxes and no backend; nothing stays behind after an error.
   * @example runtime.register(compiled, { cache: { maxBytes: 16 * 2 ** 20 } })
   */
  register(compiled: CompiledPlan, options: RegisterOptions = {}): RegisteredPlan {
    this.#checkOpen();
    if (compiled.version !== PLAN_VERSION) {
      throw runtimeError('ERR_RUNTIME_VERSION', {
        expected: `version ${PLAN_VERSION}`,
        received: `${compiled.version}`,
        at: compiled.name,
      });
    }
    const checked = checkedOptions(compiled.name, options);
    const { name, maxInputBytes } = checked;
    this.#checkOperators(compiled);
    const isolated = isolatedPlan(compiled, this.#parts.kernels, this.#isolation, checked);
    const stages = refusals(name, () => this.#catalog.add(compiled));
    let boxes: PlanBoxes | undefined;
    let record: PlanRecord | undefined;
    try {
      boxes = this.#boxesOf(compiled, checked, isolated !== undefined);
      const linked = this.#linked(name, compiled, stages, maxInputBytes, checked, isolated);
      record = { ...linked, ...(boxes && { boxes }) };
      this.#addServing(record, checked);
      this.#executors.reserve(record);
      this.#materialization?.enter(record);
      this.#plans.set(record, record);
      if (isolated !== undefined) this.#isolation!.add(record);
      return record;
    } catch (error) {
      if (record === undefined) boxes?.close();
      else this.#unlink(record);
      this.#catalog.remove(stages);
      throw error;
    }
  }

  /**
   * Adds a program over whole tensors. It keeps its constants itself; limits are a request's. Its black boxes are opened by the backend from now on.
   *
   * @throws ERR_RUNTIME_OPTION; ERR_BACKEND_MISSING when it has black boxes and no backend takes them.
   * @example
   * const tensors = runtime.registerTensors(importTensors(bytes).program);
   * const { y } = await runtime.predictTensors(tensors, { x: { element: 'float32', shape: [1, 2], data: Float32Array.of(1, 2) } });
   */
  registerTensors(program: RunnableTensors, options: RegisterTensorsOptions = {}): RegisteredTensors {
    this.#checkOpen();
    const record = tensorsRecord(program, options, this.#backends);
    this.#tensors.set(record, record);
    return record;
  }

  /** Removes a plan; its stages and parameters go with the last plan that shares them. Or removes a tensor program. */
  unregister(plan: RegisteredPlan | RegisteredTensors): void {
    this.#tensors.get(plan as RegisteredTensors)?.stages?.close();
    if (this.#tensors.delete(plan as RegisteredTensors)) return;
    this.#remove(this.#record(plan as RegisteredPlan));
  }

  #remove(record: PlanRecord): void {
    this.#plans.delete(record);
    if (record.isolated !== undefined) this.#isolation!.remove(record);
    record.cached?.clear();
    record.batching?.end(() => this.#goneError(record));
    this.#executors.remove(record, () => this.#goneError(record));
    this.#planSets.forget(record);
    this.#unlink(record);
    this.#materialization?.leave(record);
    this.#catalog.remove(record.stages);
  }

  /** Whether a plan is registered here. */
  has(plan: RegisteredPlan): boolean {
    return this.#plans.has(plan);
  }

  /** Ends the quarantine of a plan by hand: the next call tries it. */
  release(plan: RegisteredPlan): void {
    this.#record(plan).guard.release();
  }

  /**
   * Answers one row on the calling thread, in one native call where the plan is native.
   *
   * @param out when given, `plan.width` float64 numbers, which are filled and returned: nothing is allocated. Labels that are strings are given by
   * their number in `outputs[i].labels`.
   * @throws ERR_RUNTIME_INPUT when the row does not fit the schema; ERR_RUNTIME_CUSTOM when a function of yours throws; ERR_RUNTIME_QUARANTINED.
   * @example runtime.predictSync(plan, 'a good film')
   */
  predictSync(plan: RegisteredPlan, row: Row): Answer;
  predictSync(plan: RegisteredPlan, row: Row, out: Float64Array): Float64Array;
  predictSync(plan: RegisteredPlan, row: Row, out?: Float64Array): Answer | Float64Array {
    const record = this.#record(plan);
    if (out !== undefined) checkOut(out, record.width, record.name);
    if (record.isolated !== undefined) throw isolatedError(record, 'predictSync');
    if (!observesSync(record)) return this.#guardedOne(record, row, out);
    return new PredictionTrace(record, 'predictSync', 1).around(() => this.#guardedOne(record, row, out));
  }

  /**
   * Answers one row. A prediction that is expected to take less than a millisecond runs at once, which is less than a hop to another thread costs;
   * a longer one in a turn of its own. With `engine: 'auto'` one that is longer than a tenth of that, too, while others wait. With `batching`, when its
   * block is full or the delay is over.
   *
   * @throws what `predictSync` does, ERR_RUNTIME_OVERLOADED, ERR_RUNTIME_DEADLINE, and the signal's reason.
   */
  async predict(plan: RegisteredPlan, row: Row, options: PredictOptions = {}): Promise<Answer> {
    const record = this.#record(plan);
    const limits = callLimits(record.name, options);
    const choice = rowEngine(record, options.engine, this.#queue.rows);
    const trace = traceOf(record, 'predict', 1, choice);
    if (choice.engine === 'inline' && trace === undefined)
      return this.#guardedOne(record, row, undefined, checkOf(limits)) as Answer;
    const call = { ...this.#asynchronousCall(record, limits, trace), choice };
    const answer = async () => {
      if (choice.engine === 'worker') return (await answerIsolated(call, this.#isolation!, [row]))[0]!;
      if (record.boxes !== undefined) return (await answerBatch(call, [row], this.#batchRun(record, 'batch')))[0]!;
      return answerLater(call, row, () => this.#answerOne(record, row, undefined, checkOf(limits)) as Answer);
    };
    const run = () => record.guard.around(answer, options.signal);
    return trace === undefined ? run() : trace.aroundLater(run);
  }

  /**
   * Answers one row by several plans, on the calling thread: arms of an A/B test, an ensemble, all models of a family. Stages that plans share run
   * once for all of them. The same bits as one by one. Prediction caches of the plans are passed by.
   *
   * Cost: the first call with a list of plans merges them (microseconds a stage); the last 64 lists are kept ready. Plans of other inputs, another
   * `maxInputBytes` or another engine run apart, and share what is materialized.
   *
   * @param plans in any number; answers come in their order. The same one twice is answered twice.
   * @param row must fit the schema of each.
   * @param out when given, float64 numbers for all plans, one after another; filled and returned.
   * @throws ERR_RUNTIME_INPUT and what else `predictSync` throws, naming the plan; then there is no answer.
   * @example const [a, b] = runtime.predictManySync([armA, armB], { text: 'a good film' })
   */
  predictManySync(plans: readonly RegisteredPlan[], row: Row): Answer[];
  predictManySync(plans: readonly RegisteredPlan[], row: Row, out: Float64Array): Float64Array;
  predictManySync(plans: readonly RegisteredPlan[], row: Row, out?: Float64Array): Answer[] | Float64Array {
    this.#checkOpen();
    const set = this.#planSets.of(plans);
    if (out === undefined) return answerMany(set, row, this.#fanOut);
    checkOut(out, set.width, 'predictManySync');
    writeMany(set, row, this.#fanOut, out);
    return out;
  }

  /**
   * The same; what is expected to take more than a millisecond runs in a turn of the event loop of its own.
   *
   * @throws what `predictManySync` does, ERR_RUNTIME_OVERLOADED, ERR_RUNTIME_DEADLINE, and the signal's reason.
   * @example const answers = await runtime.predictMany(ensemble, row, { deadlineMs: 50 })
   */
  async predictMany(plans: readonly RegisteredPlan[], row: Row, options: CallOptions = {}): Promise<Answer[]> {
    this.#checkOpen();
    const limits = callLimits('predictMany', options);
    const { plans: given, groups } = this.#planSets.of(plans);
    const answers = new Array<Answer>(given.length);
    for (const [at, { record }] of groups.entries()) {
      // Plans may go while others wait for their turn; a set may have made room for others by then.
      const group = () => this.#planSets.of(given).groups[at]!;
      const call = { ...this.#asynchronousCall(record, limits), stillThere: () => void group() };
      await answerInItsTurn(call, row, isLong(record), () => answerGroup(group(), row, this.#fanOut, answers));
    }
    return answers;
  }

  /**
   * Answers many rows, in order. Same bits as one by one, whatever the engine. `batch` sends the rows to the executors where that pays, else gives the
   * event loop its turn about every half millisecond, by the plan's estimated cost; `inline` does neither. `auto` takes `inline` for few rows of little
   * work, where making blocks would cost more than they save.
   *
   * @throws ERR_RUNTIME_INPUT naming the row; then no row is answered. ERR_RUNTIME_UNKNOWN_PLAN when the plan is removed meanwhile.
   * ERR_RUNTIME_OVERLOADED, ERR_RUNTIME_DEADLINE, and the signal's reason.
   * @example await runtime.predictBatch(plan, ['good', 'bad'], { deadlineMs: 1000, signal: AbortSignal.timeout(1000) })
   */
  async predictBatch(plan: RegisteredPlan, rows: readonly Row[], options: BatchOptions = {}): Promise<Answer[]> {
    const record = this.#record(plan);
    if (!Array.isArray(rows))
      throw runtimeError('ERR_RUNTIME_INPUT', { expected: 'an array of rows', at: record.name });
    const choice = batchEngine(record, options.engine, rows.length, this.#queue.rows);
    const trace = traceOf(record, 'predictBatch', rows.length, choice);
    const call = this.#asynchronousCall(record, callLimits(record.name, options), trace);
    const answers = async () => {
      if (choice.engine === 'worker') return answerIsolated(call, this.#isolation!, rows);
      if (choice.engine === 'inline') return this.#answerInline(call, rows);
      const executors = choice.engine === 'batch' ? this.#executors.forRows(record, rows.length) : undefined;
      return answerBatch(call, rows, { ...this.#batchRun(record, choice.engine), executors });
    };
    const run = () => record.guard.around(answers, options.signal);
    return trace === undefined ? run() : trace.aroundLater(run);
  }

  /**
   * Answers one request of a tensor program: all its inputs, all its outputs. For now it runs on the calling thread, whole, before the promise is
   * there: the event loop waits for it, but for its black boxes, which run elsewhere. Inputs are read in place, outputs are the caller's own.
   *
   * @throws ERR_RUNTIME_INPUT when the tensors are not the program's inputs; ERR_FLOUR_TENSOR naming the node that cannot take its values;
   * ERR_FLOUR_LIMIT when the request does more than `maxElements` and `maxSteps` allow; what a backend throws, and the signal's reason.
   */
  async predictTensors(
    tensors: RegisteredTensors,
    inputs: TensorInputs,
    options: TensorCallOptions = {},
  ): Promise<TensorOutputs> {
    const record = this.#tensors.get(tensors);
    if (record !== undefined) return runTensors(record, inputs, options);
    throw this.#goneError(tensors);
  }

  /**
   * Answers rows as they come, in order, those that are there together in one block. Reads on when the answers were taken: a slow reader slows the
   * source. The source is closed when the reader leaves, and when the stream fails.
   *
   * @throws ERR_RUNTIME_INPUT naming the row by its number in the stream, what the source throws, and the signal's reason.
   * @example for await (const { output } of runtime.predictStream(plan, ['good', 'bad'])) console.log(output);
   */
  predictStream(
    plan: RegisteredPlan,
    rows: RowSource,
    options: StreamOptions = {},
  ): AsyncGenerator<Answer, void, undefined> {
    const record = this.#record(plan);
    checkStream(record.name, rows, options);
    const { signal } = options;
    const limits = callLimits(record.name, { signal });
    let engine: BatchRun | undefined;
    return answerStream(rows, options, (block, first) => {
      this.#record(plan);
      const trace = traceOf(record, 'predictStream', block.length);
      const call = this.#asynchronousCall(record, limits, trace);
      const answers = async () => {
        if (record.isolated !== undefined)
          return answerIsolated(call, this.#isolation!, block, { first, isPaced: true });
        engine ??= this.#batchRun(record, 'batch');
        return answerBatch(call, block, { ...engine, first, isPaced: true });
      };
      const run = () => record.guard.around(answers, signal);
      return trace === undefined ? run() : trace.aroundLater(run);
    });
  }

  /**
   * Measures where the time of a plan goes: nanoseconds a row of each stage, bytes that it reads and writes, and what lies around the stages. Warms
   * up, repeats for `durationMs`, and answers meanwhile as `predictBatch` does. On the calling thread, which gets a turn between repetitions.
   *
   * @param rows what the plan gets in production: times depend on them.
   * @throws ERR_RUNTIME_INPUT when a row does not fit the schema, or there is none; ERR_RUNTIME_OPTION.
   * @example
   * const { stages, total } = await runtime.profile(plan, [{ text: 'a good film' }], { durationMs: 20 });
   * console.log(stages.map((stage) => stage.nanoseconds.median / total.median)); // shares
   */
  async profile(plan: RegisteredPlan, rows: readonly Row[], options: ProfileOptions = {}): Promise<PlanProfile> {
    const record = this.#record(plan);
    if (record.isolated !== undefined) throw isolatedError(record, 'profile');
    const single = options.blockRows === 1;
    const subject = {
      record,
      store: this.#parts.store,
      isa: this.isa,
      check: (all: readonly Row[]) => void this.#answerRows(record, all),
      answer: (block: readonly Row[]) => {
        this.#record(plan); // it may have gone between two repetitions
        if (single) return [this.#answerRow(record, block[0]!) as Answer];
        return this.#answerRows(record, block);
      },
      answerTimed: (block: readonly Row[], nanoseconds: Float64Array) => {
        this.#record(plan);
        if (!single || record.native === undefined) return this.#answerRows(record, block, nanoseconds);
        runRow(record, block[0]!, record.numbers, this.#target!.kernels, nanoseconds);
        return [answerFromNumbers(record.outputs, record.numbers, 0)];
      },
      bytes: (sample: readonly Row[]) => {
        const slots = this.#forBytes(record).runToSlots(admit(record.inputs, sample), sample.length);
        return stageBytes(record.compiled, slots, sample.length);
      },
    };
    const measure = () => profilePlan(subject, rows, options);
    return this.#materialization === undefined ? measure() : this.#materialization.aside(measure);
  }

  /**
   * Does beforehand what the first predictions of a plan would have to wait for: reads all its parameters, starts the executors, and, with rows, lets
   * scratch and vectors grow to their size. Takes some milliseconds for a thread that starts, and about a millisecond for ten megabytes.
   *
   * @throws ERR_RUNTIME_INPUT when a row does not fit the schema.
   * @example await runtime.warm(plan, { rows: [{ text: 'a good film' }] })
   */
  async warm(plan: RegisteredPlan, options: WarmOptions = {}): Promise<Warmth> {
    const record = this.#record(plan);
    if (record.isolated !== undefined) throw isolatedError(record, 'warm');
    return warmPlan(record, this.#target?.kernels, this.#executors, options, {
      row: (row) => void this.#answerRow(record, row),
      javaScript: () => void this.#fallback(record),
      stillThere: () => this.#checkThere(record),
    });
  }

  /** Plans, stages and parameter bytes, each shared one counted once. */
  stats(): RuntimeStatistics {
    const tensors = [...this.#tensors.values()];
    const plans = [...this.#plans.values()];
    return {
      ...runtimeStatistics(plans, this.#catalog.stages, this.#parts.store, this.isa, tensors),
      queue: this.#queue.stats(),
      executors: this.#executors.stats(),
      ...(this.#materialization !== undefined && { materialization: this.#materialization.stats() }),
      ...(this.#isolation !== undefined && { isolation: this.#isolation.stats() }),
      ...(this.#eventLoopLag !== undefined && { eventLoopLag: this.#eventLoopLag.stats() }),
    };
  }

  /**
   * Bytes of the parameters that plans hold, each shared one counted once: of all plans, at no cost, or of some of them.
   *
   * @throws ERR_RUNTIME_UNKNOWN_PLAN
   */
  parameterBytes(plans?: Iterable<RegisteredPlan>): number {
    if (plans === undefined) return this.#catalog.parameterBytes;
    return parameterBytesOf(
      Array.from(plans, (plan) => this.#record(plan)),
      this.#parts.store,
    );
  }

  /**
   * Removes every plan and tensor program, and ends the executors. The runtime answers nothing after that.
   *
   * @throws ERR_RUNTIME_OPTION
   * @example await runtime.close({ drainMs: 5000 }) // what runs may end; nothing new begins
   */
  async close({ drainMs = 0 }: CloseOptions = {}): Promise<void> {
    checkedDrain(drainMs);
    this.#closed = true; // what waits is told so
    if (drainMs > 0) await this.#queue.drained(drainMs);
    this.#eventLoopLag?.stop();
    for (const record of [...this.#plans.values()]) this.#remove(record);
    this.#materialization?.close();
    for (const tensors of [...this.#tensors.keys()]) this.unregister(tensors);
    await Promise.all([this.#isolation?.close(), this.#executors.close()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Operators of users are known where they were defined: on this thread, by now. */
  #checkOperators({ name, stages }: CompiledPlan): void {
    for (const { operator, version } of stages.flatMap(({ stage }) => stage.steps)) {
      if (this.#parts.kernels.reference(operator, version) !== undefined) continue;
      throw runtimeError('ERR_RUNTIME_OPERATOR', { received: `${operator}, version ${version}`, at: `plan ${name}` });
    }
  }

  /** A plan over stages of the catalog, made ready to run. */
  #linked(
    name: string,
    compiled: CompiledPlan,
    stages: readonly CatalogStage[],
    maxInputBytes: number,
    { engine, quarantine, scheduling }: Pick<CheckedOptions, 'engine' | 'quarantine' | 'scheduling'> = NO_OPTIONS,
    isolated?: IsolatedPlan,
  ): PlanRecord {
    const native = refusals(name, () => this.#linkNative(compiled, stages, maxInputBytes));
    const { store } = this.#parts;
    const parts =
      native === undefined ? refusals(name, () => planParts(compiled, stages, this.#target, store)) : undefined;
    const [only] = compiled.inputs;
    return {
      name,
      inputs: compiled.inputs,
      outputs: compiled.outputs,
      width: compiled.width,
      engine: parts?.engine ?? 'native',
      nanosPerRow: parts?.nanosPerRow ?? compiled.nanosPerRow,
      compiled,
      stages,
      native,
      parts,
      maxInputBytes,
      scheduling,
      answersBy: engine,
      isolated,
      guard: new PlanGuard(name, quarantine),
      numbers: new Float64Array(compiled.width),
      textInput: compiled.inputs.length === 1 && isTexts(only!.type) ? only!.name : undefined,
      floatInput: compiled.inputs.length === 1 && isFloatVector(only!.type) ? only : undefined,
      fallback: undefined,
    };
  }

  #unlink({ native, parts, boxes }: PlanRecord): void {
    boxes?.close();
    if (native !== undefined) this.#target!.kernels.planRelease(native);
    parts?.release();
  }

  #linkNative(compiled: CompiledPlan, stages: readonly CatalogStage[], maxInputBytes: number): number | undefined {
    if (this.#target === undefined || stages.some((stage) => stage.native === undefined)) return undefined;
    // A text that is no looked-up label has no number: such an output needs JavaScript.
    if (compiled.outputs.some((port) => dtypeOf(port.type) === 'string' && port.labels === undefined)) return undefined;
    // What comes out as it went in is written by no stage: JavaScript hands it on.
    if (compiled.outputs.some((port) => port.slot < compiled.inputs.length)) return undefined;
    return this.#target.kernels.planCreate({
      stages: Float64Array.from(stages, (stage) => stage.native!),
      wiring: Int32Array.from(
        compiled.stages.flatMap(({ inputs, outputs }) => [inputs.length, outputs.length, ...inputs, ...outputs]),
      ),
      inputs: Int32Array.from(compiled.inputs, (_, slot) => slot),
      outputs: Int32Array.from(compiled.outputs, (port) => port.slot),
      maxInputBytes,
    });
  }

  /** Models of other runtimes in a plan are opened from now on. */
  #boxesOf(compiled: CompiledPlan, checked: CheckedOptions, isIsolated: boolean): PlanBoxes | undefined {
    if (!PlanBoxes.has(compiled)) return undefined;
    checkBoxed(checked, isIsolated);
    return new PlanBoxes(compiled, this.#backends, this.#parts.store, checked.places);
  }

  /** What lies between callers and the plan's engine. */
  #addServing(record: PlanRecord, { cache, batching }: CheckedOptions): void {
    if (this.#sampling !== undefined) {
      const { sampleEvery, stagesEvery } = this.#sampling;
      record.latencies = new Latencies(sampleEvery);
      if (stagesEvery !== undefined) record.stageLatencies = new StageLatencies(record.stages.length, stagesEvery);
    }
    if (cache !== undefined) {
      const engine = keepingEngine(record, this.#target?.kernels, () => this.#fallback(record));
      record.cached = new CachedPlan(record, engine, this.#parts.store.checksum, cache);
    }
    if (batching !== undefined)
      record.batching = new DelayedBatching(record, () => this.#cachedBlocks(record), this.#queue, batching);
  }

  #guardedOne(record: PlanRecord, row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    record.guard.enter();
    try {
      const answer = this.#answerOne(record, row, out, check);
      record.guard.succeeded();
      return answer;
    } catch (error) {
      record.guard.failed(error);
      throw error;
    }
  }

  #answerOne(record: PlanRecord, row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    return record.cached === undefined
      ? this.#answerRow(record, row, out, check)
      : record.cached.predict(row, out, check);
  }

  /** By the engine of the plan, whatever its cache holds. */
  #answerRow(record: PlanRecord, row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    if (record.native === undefined) return this.#rowInJavaScript(record, row, out, check);
    const numbers = out ?? record.numbers;
    const { kernels } = this.#target!;
    if (record.stageLatencies === undefined) runRow(record, row, numbers, kernels);
    else sampled(record, 1, (nanoseconds) => runRow(record, row, numbers, kernels, nanoseconds));
    return out ?? answerFromNumbers(record.outputs, numbers, 0);
  }

  #rowInJavaScript(record: PlanRecord, row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    const plan = this.#fallback(record);
    const columns = admit(record.inputs, [row]);
    const blocks = sampled(record, 1, (clock) =>
      clock ? plan.runTimed(columns, 1, clock, 0, check) : plan.runOne(columns, check),
    );
    if (out === undefined) return answerFromBlocks(record.outputs, blocks, 0);
    numbersFromBlocks(record.outputs, blocks, 0, out, 0);
    return out;
  }

  /** At once, by the engine of the plan. The time of each stage is added to `nanoseconds`. */
  #answerRows(record: PlanRecord, rows: readonly Row[], nanoseconds?: Float64Array): Answer[] {
    return runAtOnce(record, rows, this.#blocks(record, nanoseconds));
  }

  #asynchronousCall(record: PlanRecord, limits?: CallLimits, trace?: PredictionTrace): AsynchronousCall {
    return { record, queue: this.#queue, limits, trace, stillThere: () => this.#checkThere(record) };
  }

  #answerInline({ record, trace, limits }: AsynchronousCall, rows: readonly Row[]): Answer[] {
    trace?.started();
    return rows.map((row, at) => {
      const check = limits && (() => limits.check(at, rows.length));
      if (at > 0) check?.();
      return this.#answerOne(record, row, undefined, check) as Answer;
    });
  }

  #batchRun(record: PlanRecord, engine: EngineChoice['engine']): BatchRun {
    if (record.isolated !== undefined) throw isolatedError(record, `engine ${engine}`);
    const { nanosPerRow } = record;
    if (engine !== 'reference') {
      if (record.boxes === undefined) return { nanosPerRow, answerBlock: this.#cachedBlocks(record) };
      return { nanosPerRow, answerBlock: this.#blocks(record), boxes: this.#fallback(record) };
    }
    const reference = this.#interpreted(record, 'reference');
    const answerBlock = javaScriptBlocks(record, reference);
    const boxes = record.boxes && { boxes: reference };
    return { nanosPerRow: REFERENCE_FACTOR * nanosPerRow, answerBlock, ...boxes };
  }

  #cachedBlocks(record: PlanRecord): AnswerBlock {
    const { cached } = record;
    if (cached === undefined) return sampledBlocks(record, (nanoseconds) => this.#blocks(record, nanoseconds));
    return (columns, rows, first, check) => cached.answerBlock(columns, rows, first, check);
  }

  #blocks(record: PlanRecord, nanoseconds?: Float64Array): AnswerBlock {
    return record.native === undefined
      ? javaScriptBlocks(record, this.#fallback(record), nanoseconds)
      : nativeBlocks(record, this.#target!.kernels, nanoseconds);
  }

  /** Made at the first prediction, kept with the plan. */
  #fallback(record: PlanRecord): JavaScriptPlan {
    record.fallback ??= this.#interpreted(record, 'fallback', record.parts?.list);
    return record.fallback;
  }

  /** The addon does not tell how long its values are; JavaScript makes the same ones. A native plan does not keep what that takes. */
  #forBytes(record: PlanRecord): JavaScriptPlan {
    return record.engine === 'javascript' ? this.#fallback(record) : this.#interpreted(record, 'fallback');
  }

  #interpreted(
    { name, compiled, maxInputBytes, boxes }: PlanRecord,
    mode: JavaScriptMode,
    parts?: readonly PlanPart[],
  ) {
    const results = mode === 'fallback' ? this.#materialization?.inJavaScript : undefined;
    const { kernels, store } = this.#parts;
    return new JavaScriptPlan({ ...compiled, name }, mode, kernels, store, maxInputBytes, parts, results, boxes);
  }

  /** For a new call. */
  #record(plan: RegisteredPlan): PlanRecord {
    const record = this.#plans.get(plan);
    if (record !== undefined && !this.#closed) return record;
    throw this.#goneError(plan);
  }

  /** For one that is on its way: while the runtime drains it goes on. */
  #checkThere(record: PlanRecord): void {
    if (!this.#plans.has(record)) throw this.#goneError(record);
  }

  #goneError(plan: RegisteredPlan | RegisteredTensors): Error {
    if (this.#closed) return runtimeError('ERR_RUNTIME_CLOSED');
    return runtimeError('ERR_RUNTIME_UNKNOWN_PLAN', { received: plan?.name ?? String(plan) });
  }

  #checkOpen(): void {
    if (this.#closed) throw runtimeError('ERR_RUNTIME_CLOSED');
  }
}

function checkOut(out: Float64Array, width: number, at: string): void {
  if (out instanceof Float64Array && out.length >= width) return;
  const [expected, received] = [`a Float64Array of ${width}`, `${out?.constructor?.name} of ${out?.length}`];
  throw runtimeError('ERR_RUNTIME_OUTPUT', { expected, received, at });
}
/** Called between the stages of a row. */
const checkOf = (limits: CallLimits | undefined) => limits && (() => limits.check(0, 1));

/** What the addon says against a plan, with the plan's name. */
function refusals<T>(plan: string, link: () => T): T {
  try {
    return link();
  } catch (cause) {
    const { code, message } = cause as { code?: string; message: string };
    if (!code?.startsWith('ERR_NATIVE_')) throw cause;
    throw runtimeError('ERR_RUNTIME_NATIVE', { received: message, at: plan, cause });
  }
}

function chooseIsa(native: NativeKernels, wanted: string | undefined): Isa {
  const available = native.isas();
  if (wanted === undefined) return available.at(-1)!;
  const found = available.find((isa) => isa === wanted);
  if (found !== undefined) return found;
  throw runtimeError('ERR_RUNTIME_ENGINE', {
    expected: `an instruction set of this machine (${available.join(', ')})`,
    received: wanted,
  });
}

const isTexts = (type: ValueType): boolean => type.kind !== 'dictionary' && dtypeOf(type) === 'string';
const isFloatVector = (type: ValueType): boolean =>
  (type.kind === 'vector' || type.kind === 'tensor') && (type.dtype === 'float32' || type.dtype === 'float64');
