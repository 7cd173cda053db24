import {
  type Backend,
  type Clock,
  type CompiledPlan,
  type RunnableTensors,
  type StagePlacement,
  systemClock,
  type TensorKernels,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { Answer } from './execute/answers.js';
import { PlanEngines } from './execute/plan-engines.js';
import type { Row } from './execute/row-schema.js';
import type { TensorInputs } from './execute/tensors/admit-tensors.js';
import { withBackend } from './execute/tensors/backends.js';
import { nativeTensorKernels } from './execute/tensors/native-kernels.js';
import { runTensors, type TensorCallOptions, type TensorOutputs } from './execute/tensors/predict-tensors.js';
import {
  type RegisteredTensors,
  type RegisterTensorsOptions,
  tensorsRecord,
} from './execute/tensors/registered-tensors.js';
import type { CallOptions } from './features/admission/call-limits.js';
import { Queue } from './features/admission/queue.js';
import { Materialization } from './features/cache/materialization.js';
import { Devices } from './features/devices/devices.js';
import { checkedDevice } from './features/devices/options.js';
import type { PlanSets } from './features/fan-out/plan-sets.js';
import type { RowSource, StreamOptions } from './features/stream/answer-stream.js';
import { executorFacade } from './parallel/executors/executor-facade.js';
import type { SegmentPlaces } from './parallel/executors/segment-work.js';
import { Isolation } from './parallel/isolated/isolation.js';
import { Catalog } from './plans/catalog.js';
import { LivePlans } from './plans/live-plans.js';
import { nativeTarget } from './plans/native-target.js';
import { PlanLinker } from './plans/plan-linker.js';
import {
  checkedDrain,
  checkedMaterialization,
  checkedSampling,
  NO_OPTIONS,
  type RegisterOptions,
} from './plans/register-options.js';
import type { RegisteredPlan } from './plans/registered-plan.js';
import { Registration } from './plans/registration.js';
import type { CloseOptions, RuntimeParts } from './runtime-parts.js';
import { EventLoopLag } from './telemetry/event-loop-lag.js';
import type { PlanProfile, ProfileOptions } from './telemetry/profile.js';
import { parameterBytesOf, type RuntimeStatistics, runtimeStatistics } from './telemetry/statistics.js';
import { type BatchOptions, predictRows } from './verbs/batch.js';
import { planSetsOf, predictRowMany, predictRowManySync } from './verbs/fan-out.js';
import { profileRows, warmRegistered } from './verbs/measure.js';
import { placementOf } from './verbs/placement.js';
import type { Serving } from './verbs/serving.js';
import { type PredictOptions, predictOne, predictOneLater } from './verbs/single-row.js';
import { predictRowStream } from './verbs/stream.js';
import type { WarmOptions, WarmUpReport } from './verbs/warm.js';

/**
 * Runs compiled plans. Belongs to the thread that created it.
 *
 * @example
 * const plan = runtime.register(compiled);
 * runtime.predictSync(plan, { text: 'a good film' }); // { label: 1, probabilities: [0.2, 0.8] }
 */
export class Runtime {
  readonly #parts: RuntimeParts;
  readonly #live = new LivePlans();
  readonly #isa: string | undefined;
  readonly #tensorKernels: TensorKernels | undefined;
  readonly #catalog: Catalog;
  readonly #materialization: Materialization | undefined;
  readonly #serving: Serving;
  readonly #devices: Devices;
  readonly #planSets: PlanSets;
  readonly #registration: Registration;
  readonly #eventLoopLag: EventLoopLag | undefined;
  #backends: readonly Backend[] = [];
  /** Time source of deadlines, delays and rests. */
  readonly clock: Clock;

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
    for (const backend of parts.backends ?? []) this.registerBackend(backend);
    const { store, native, clock = systemClock } = parts;
    this.clock = clock;
    const queue = new Queue(parts.limits, clock);
    const sampling = checkedSampling(parts.latencies);
    const target = nativeTarget(parts);
    this.#isa = target?.isa;
    this.#tensorKernels = target && nativeTensorKernels(target);
    this.#catalog = new Catalog(store, target);
    const resultBytes = checkedMaterialization(parts.materialization);
    if (resultBytes !== undefined) this.#materialization = new Materialization(resultBytes, native, store.checksum);
    const shared = { store, catalog: this.#catalog, materialization: this.#materialization };
    const segmentPlaces: SegmentPlaces = (...wanted) => executors.segment(...wanted);
    const engines = new PlanEngines({ ...shared, table: parts.kernels, kernels: native, segmentPlaces });
    const linker = new PlanLinker(target, store);
    const executors = executorFacade(parts, engines);
    this.#planSets = planSetsOf(this.#live, linker);
    const isolation = parts.isolation && new Isolation(parts.isolation, store, clock);
    this.#serving = { live: this.#live, engines, queue, executors, isolation, clock };
    const engine = { target, store, kernels: parts.kernels, catalog: this.#catalog, executors };
    this.#devices = new Devices(parts.lowering, checkedDevice(parts.device), () => this.#backends, engine, clock);
    const known = { devices: this.#devices, planSets: this.#planSets };
    const mine = { ...shared, ...this.#serving, ...known, kernels: parts.kernels, linker, sampling };
    this.#registration = new Registration(mine);
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
   * Adds another runtime, for the black boxes of programs that are registered from now on. The
   * first that takes a format gets its models.
   *
   * @throws ERR_RUNTIME_BACKEND for what is no backend, or has the name of another.
   * @example runtime.registerBackend(onnxruntimeBackend());
   */
  registerBackend(backend: Backend): void {
    this.#live.checkOpen();
    this.#backends = withBackend(this.#backends, backend);
  }

  /** Instruction set of the native kernels, or undefined where JavaScript does the work. */
  get isa(): string | undefined {
    return this.#isa;
  }

  /**
   * Adds a plan: stages that other plans brought are shared. The runtime holds its own references
   * to the parameters.
   *
   * @throws ERR_RUNTIME_VERSION for a plan of another version, ERR_RUNTIME_OPTION,
   * ERR_RUNTIME_OPERATOR for one with an operator that this thread has not defined,
   * ERR_BACKEND_MISSING for one with black boxes and no backend; nothing stays behind after an
   * error.
   * @example runtime.register(compiled, { cache: { maxBytes: 16 * 2 ** 20 } })
   */
  register(compiled: CompiledPlan, options: RegisterOptions = NO_OPTIONS): RegisteredPlan {
    this.#live.checkOpen();
    return this.#registration.add(compiled, options, this.#backends);
  }

  /**
   * Adds a program over whole tensors. It keeps its constants itself; limits are a request's. Its
   * black boxes are opened by the backend from now on.
   *
   * @throws ERR_RUNTIME_OPTION; ERR_BACKEND_MISSING when it has black boxes and no backend takes
   * them.
   * @example
   * const tensors = runtime.registerTensors(importTensors(bytes).program);
   * const { y } = await runtime.predictTensors(tensors, { x: { element: 'float32', shape: [1, 2], data: Float32Array.of(1, 2) } });
   */
  registerTensors(program: RunnableTensors, options: RegisterTensorsOptions = {}): RegisteredTensors {
    this.#live.checkOpen();
    const record = tensorsRecord(program, options, this.#backends, this.#tensorKernels, this.#devices.boxes.open);
    this.#live.tensors.set(record, record);
    return record;
  }

  /**
   * Removes a plan; its stages and parameters go with the last plan that shares them. Or removes a
   * tensor program.
   */
  unregister(plan: RegisteredPlan | RegisteredTensors): void {
    const { tensors } = this.#live;
    tensors.get(plan as RegisteredTensors)?.stages?.close();
    if (tensors.delete(plan as RegisteredTensors)) return;
    this.#registration.remove(this.#live.record(plan as RegisteredPlan));
  }

  /** Whether a plan is registered here. */
  has(plan: RegisteredPlan): boolean {
    return this.#live.plans.has(plan);
  }

  /** Ends the quarantine of a plan by hand: the next call tries it. */
  release(plan: RegisteredPlan): void {
    this.#live.record(plan).guard.release();
  }

  /**
   * Answers one row on the calling thread, in one native call where the plan is native.
   *
   * @param out when given, `plan.width` float64 numbers, which are filled and returned: nothing is
   * allocated. Labels that are strings are given by their number in `outputs[i].labels`.
   * @throws ERR_RUNTIME_INPUT when the row does not fit the schema; ERR_RUNTIME_CUSTOM when a
   * function of yours throws; ERR_RUNTIME_QUARANTINED.
   * @example runtime.predictSync(plan, 'a good film')
   */
  predictSync(plan: RegisteredPlan, row: Row): Answer;
  predictSync(plan: RegisteredPlan, row: Row, out: Float64Array): Float64Array;
  predictSync(plan: RegisteredPlan, row: Row, out?: Float64Array): Answer | Float64Array {
    return predictOne(this.#serving, plan, row, out);
  }

  /**
   * Answers one row. A prediction that is expected to take less than a millisecond runs at once,
   * which is less than a hop to another thread costs; a longer one in a turn of its own. With
   * `engine: 'auto'` one that is longer than a tenth of that, too, while others wait. With
   * `batching`, when its block is full or the delay is over.
   *
   * @throws what `predictSync` does, ERR_RUNTIME_OVERLOADED, ERR_RUNTIME_DEADLINE, and the signal's
   * reason.
   */
  predict(plan: RegisteredPlan, row: Row, options: PredictOptions = {}): Promise<Answer> {
    return predictOneLater(this.#serving, plan, row, options);
  }

  /**
   * Answers one row by several plans, on the calling thread: arms of an A/B test, an ensemble, all
   * models of a family. Stages that plans share run once for all of them. The same bits as one by
   * one. Prediction caches of the plans are passed by.
   *
   * Cost: the first call with a list of plans merges them (microseconds a stage); the last 64 lists
   * are kept ready. Plans of other inputs, another `maxInputBytes` or another engine run apart, and
   * share what is materialized.
   *
   * @param plans in any number; answers come in their order. The same one twice is answered twice.
   * @param row must fit the schema of each.
   * @param out when given, float64 numbers for all plans, one after another; filled and returned.
   * @throws ERR_RUNTIME_INPUT and what else `predictSync` throws, naming the plan; then there is no
   * answer.
   * @example const [a, b] = runtime.predictManySync([armA, armB], { text: 'a good film' })
   */
  predictManySync(plans: readonly RegisteredPlan[], row: Row): Answer[];
  predictManySync(plans: readonly RegisteredPlan[], row: Row, out: Float64Array): Float64Array;
  predictManySync(plans: readonly RegisteredPlan[], row: Row, out?: Float64Array): Answer[] | Float64Array {
    return predictRowManySync(this.#serving, this.#planSets, plans, row, out);
  }

  /**
   * The same, some half a millisecond of work in each turn of the event loop, by the plans'
   * estimated cost; a plan that takes more has a turn of its own.
   *
   * @throws what `predictManySync` does, ERR_RUNTIME_OVERLOADED, ERR_RUNTIME_DEADLINE, and the
   * signal's reason.
   * @example const answers = await runtime.predictMany(ensemble, row, { deadlineMs: 50 })
   */
  predictMany(plans: readonly RegisteredPlan[], row: Row, options: CallOptions = {}): Promise<Answer[]> {
    return predictRowMany(this.#serving, this.#planSets, plans, row, options);
  }

  /**
   * Answers many rows, in order. Same bits as one by one, whatever the engine. `batch` sends the
   * rows to the executors where that pays, else gives the event loop its turn about every half
   * millisecond, by the plan's estimated cost; `request-response` does neither. `auto` takes
   * `request-response` for few rows of little work, where making blocks would cost more than they
   * save.
   *
   * @throws ERR_RUNTIME_INPUT naming the row; then no row is answered. ERR_RUNTIME_UNKNOWN_PLAN
   * when the plan is removed meanwhile. ERR_RUNTIME_OVERLOADED, ERR_RUNTIME_DEADLINE, and the
   * signal's reason.
   * @example await runtime.predictBatch(plan, ['good', 'bad'], { deadlineMs: 1000, signal: AbortSignal.timeout(1000) })
   */
  predictBatch(plan: RegisteredPlan, rows: readonly Row[], options: BatchOptions = {}): Promise<Answer[]> {
    return predictRows(this.#serving, plan, rows, options);
  }

  /**
   * Answers one request of a tensor program: all its inputs, all its outputs. For now it runs on
   * the calling thread, whole, before the promise is there: the event loop waits for it, but for
   * its black boxes, which run elsewhere. Inputs are read in place, outputs are the caller's own.
   *
   * @throws ERR_RUNTIME_INPUT when the tensors are not the program's inputs; ERR_FLOUR_TENSOR
   * naming the node that cannot take its values; ERR_FLOUR_LIMIT when the request does more than
   * `maxElements` and `maxSteps` allow; what a backend throws, and the signal's reason.
   */
  async predictTensors(
    tensors: RegisteredTensors,
    inputs: TensorInputs,
    options: TensorCallOptions = {},
  ): Promise<TensorOutputs> {
    const record = this.#live.tensors.get(tensors);
    if (record !== undefined) return runTensors(record, inputs, options);
    throw this.#live.goneError(tensors);
  }

  /**
   * Answers rows as they come, in order, those that are there together in one block. Reads on when
   * the answers were taken: a slow reader slows the source. The source is closed when the reader
   * leaves, and when the stream fails.
   *
   * @throws ERR_RUNTIME_INPUT naming the row by its number in the stream, what the source throws,
   * and the signal's reason.
   * @example for await (const { output } of runtime.predictStream(plan, ['good', 'bad'])) console.log(output);
   */
  predictStream(
    plan: RegisteredPlan,
    rows: RowSource,
    options: StreamOptions = {},
  ): AsyncGenerator<Answer, void, undefined> {
    return predictRowStream(this.#serving, plan, rows, options);
  }

  /**
   * Measures where the time of a plan goes: nanoseconds a row of each stage, bytes that it reads
   * and writes, and what lies around the stages. Warms up, repeats for `durationMs`, and answers
   * meanwhile as `predictBatch` does. On the calling thread, which gets a turn between repetitions.
   *
   * @param rows what the plan gets in production: times depend on them.
   * @throws ERR_RUNTIME_INPUT when a row does not fit the schema, or there is none;
   * ERR_RUNTIME_OPTION.
   * @example
   * const { stages, total } = await runtime.profile(plan, [{ text: 'a good film' }], { durationMs: 20 });
   * console.log(stages.map((stage) => stage.nanoseconds.median / total.median)); // shares
   */
  profile(plan: RegisteredPlan, rows: readonly Row[], options: ProfileOptions = {}): Promise<PlanProfile> {
    const measured = { store: this.store, isa: this.isa, materialization: this.#materialization };
    return profileRows(this.#serving, measured, plan, rows, options);
  }

  /**
   * Does beforehand what the first predictions of a plan would have to wait for: reads all its
   * parameters, starts the executors, and, with rows, lets scratch and vectors grow to their size.
   * Takes some milliseconds for a thread that starts, and about a millisecond for ten megabytes.
   *
   * @throws ERR_RUNTIME_INPUT when a row does not fit the schema.
   * @example await runtime.warm(plan, { rows: [{ text: 'a good film' }] })
   */
  warm(plan: RegisteredPlan, options: WarmOptions = {}): Promise<WarmUpReport> {
    return warmRegistered(this.#serving, plan, options);
  }

  /**
   * Where each stage of a plan runs blocks of so many rows, as things stand: what EXPLAIN tells
   * with `place`.
   *
   * @throws ERR_RUNTIME_UNKNOWN_PLAN; ERR_RUNTIME_OPTION for rows that are no count.
   * @example explain(program, { place: () => runtime.placement(plan, 256) })
   */
  placement(plan: RegisteredPlan, rows: number): StagePlacement[] {
    return placementOf(this.#live.record(plan), rows);
  }

  /** Plans, stages and parameter bytes, each shared one counted once. */
  stats(): RuntimeStatistics {
    const { queue, executors, isolation } = this.#serving;
    const [plans, tensors] = [[...this.#live.plans.values()], [...this.#live.tensors.values()]];
    return {
      ...runtimeStatistics(plans, this.#catalog.stages, this.store, this.isa, tensors),
      queue: queue.stats(),
      executors: executors.stats(),
      pools: executors.pools(),
      devices: this.#devices.stats(),
      ...(this.#materialization !== undefined && { materialization: this.#materialization.stats() }),
      ...(isolation !== undefined && { isolation: isolation.stats() }),
      ...(this.#eventLoopLag !== undefined && { eventLoopLag: this.#eventLoopLag.stats() }),
    };
  }

  /**
   * Bytes of the parameters that plans hold, each shared one counted once: of all plans, at no
   * cost, or of some of them.
   *
   * @throws ERR_RUNTIME_UNKNOWN_PLAN
   */
  parameterBytes(plans?: Iterable<RegisteredPlan>): number {
    if (plans === undefined) return this.#catalog.parameterBytes;
    return parameterBytesOf(
      Array.from(plans, (plan) => this.#live.record(plan)),
      this.store,
    );
  }

  /**
   * Removes every plan and tensor program, and ends the executors. The runtime answers nothing
   * after that.
   *
   * @throws ERR_RUNTIME_OPTION
   * @example await runtime.close({ drainMs: 5000 }) // what runs may end; nothing new begins
   */
  async close({ drainMs = 0 }: CloseOptions = {}): Promise<void> {
    checkedDrain(drainMs);
    const { queue, executors, isolation } = this.#serving;
    this.#live.close();
    if (drainMs > 0) await queue.drained(drainMs);
    this.#eventLoopLag?.stop();
    for (const record of [...this.#live.plans.values()]) this.#registration.remove(record);
    this.#materialization?.close();
    for (const tensors of [...this.#live.tensors.keys()]) this.unregister(tensors);
    await Promise.all([isolation?.close(), executors.close()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
