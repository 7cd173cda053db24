import {
  type Answer,
  type Backend,
  type Clock,
  type ColumnsOfAnswers,
  type ColumnsOfRows,
  type CompiledPlan,
  type InspectParameters,
  inspectKey,
  inspectView,
  type PlanAnswerLists,
  type PlanAnswers,
  type QualityStatistics,
  type Row,
  type RowOfPlans,
  type RunnableTensors,
  type StagePlacement,
  systemClock,
  type TensorKernels,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { Contributions } from './execute/contributions/explain-rows.js';
import { PlanEngines } from './execute/plan-engines.js';
import type { TensorInputs } from './execute/tensors/admit-tensors.js';
import { attached, checkBackend, type Detach, detachAll } from './execute/tensors/backends.js';
import { nativeTensorKernels } from './execute/tensors/native-kernels.js';
import type { TensorOutputs } from './execute/tensors/predict-tensors.js';
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
import { checkRuntimeOptions } from './option-names.js';
import { executorFacade } from './parallel/executors/executor-facade.js';
import type { SegmentPlaces } from './parallel/executors/segment-work.js';
import { Isolation } from './parallel/isolated/isolation.js';
import { Catalog } from './plans/catalog.js';
import type { FleetPlans } from './plans/fleet-plans.js';
import { type FleetRegisterOptions, FleetRegistration } from './plans/fleet-registration.js';
import type { FleetSource } from './plans/fleet-source.js';
import { kernelTarget } from './plans/kernel-target.js';
import { LivePlans } from './plans/live-plans.js';
import { PlanLinker } from './plans/plan-linker.js';
import { NO_OPTIONS, type RegisterOptions } from './plans/register-options.js';
import type { AnyPlan, RegisteredPlan } from './plans/registered-plan.js';
import { Registration } from './plans/registration.js';
import { checkedDrain, checkedMaterialization, checkedSampling } from './plans/runtime-options.js';
import { describeStages, type StageDescription } from './plans/stage-description.js';
import { type CloseOptions, closeOptionNames, type RuntimeParts } from './runtime-parts.js';
import { EventLoopLag } from './telemetry/event-loop-lag.js';
import type { PlanProfile, ProfileOptions } from './telemetry/profile.js';
import {
  type PlanStatistics,
  parameterBytesOf,
  type RuntimeStatistics,
  runtimeStatistics,
} from './telemetry/statistics.js';
import { type BatchOptions, predictColumnRows, predictRows, type RowBatchOptions } from './verbs/batch.js';
import {
  type ContributionBatchOptions,
  type ContributionOptions,
  type Explaining,
  explainBatch,
  explainRow,
} from './verbs/contributions.js';
import {
  type ExplainedAnswer,
  predictOneExplained,
  predictRowsExplained,
  predictStreamExplained,
  type WithContributions,
  wantsContributions,
} from './verbs/explained-answers.js';
import { planSetsOf, predictRowMany, predictRowManySync } from './verbs/fan-out.js';
import { type Importance, type ImportanceOptions, importanceOfRows } from './verbs/importance.js';
import { predictManyRows } from './verbs/many-rows.js';
import { profileRows, warmRegistered } from './verbs/measure.js';
import { placementOf } from './verbs/placement.js';
import type { Serving } from './verbs/serving.js';
import { type PredictOptions, predictOne, predictOneLater } from './verbs/single-row.js';
import { predictRowStream } from './verbs/stream.js';
import { predictTensorsLater } from './verbs/tensors.js';
import type { WarmOptions, WarmUpReport } from './verbs/warm.js';

/**
 * Registers compiled plans and answers rows with them. Use a runtime only on the thread that
 * created it.
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
  readonly #explaining: Explaining;
  readonly #devices: Devices;
  readonly #planSets: PlanSets;
  readonly #registration: Registration;
  readonly #fleets: FleetRegistration;
  readonly #eventLoopLag: EventLoopLag | undefined;
  #backends: readonly Backend[] = [];
  /** Functions of the backends that are called at the end of `close`. */
  readonly #detach: Detach[] = [];
  /** The clock for deadlines, delays, quarantines, latencies and slices of batches. */
  readonly clock: Clock;

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
    const { store, native, clock = systemClock } = parts;
    this.clock = clock;
    const queue = new Queue(parts.limits, clock);
    const sampling = checkedSampling(parts.latencies);
    const target = kernelTarget(parts);
    this.#isa = native && target?.isa;
    this.#tensorKernels = native && nativeTensorKernels(native, target!.isa);
    this.#catalog = new Catalog(store, target);
    const resultBytes = checkedMaterialization(parts.materialization);
    if (resultBytes !== undefined) this.#materialization = new Materialization(resultBytes, native, store.checksum);
    const shared = { store, catalog: this.#catalog, materialization: this.#materialization };
    const segmentPlaces: SegmentPlaces = (...wanted) => executors.segment(...wanted);
    const engines = new PlanEngines({ ...shared, table: parts.kernels, target, segmentPlaces });
    const linker = new PlanLinker(target, store, clock);
    const executors = executorFacade(parts, engines, clock);
    this.#planSets = planSetsOf(this.#live, linker, executors);
    const isolation = parts.isolation && new Isolation(parts.isolation, store, clock);
    this.#serving = { live: this.#live, engines, queue, executors, isolation, clock };
    this.#explaining = { kernels: parts.kernels, tensorKernels: this.#tensorKernels, store };
    const engine = { target, store, kernels: parts.kernels, catalog: this.#catalog, executors };
    this.#devices = new Devices(parts.lowering, checkedDevice(parts.device), () => this.#backends, engine, clock);
    const known = { devices: this.#devices, planSets: this.#planSets };
    const mine = { ...shared, ...this.#serving, ...known, kernels: parts.kernels, linker, sampling };
    this.#registration = new Registration(mine);
    this.#fleets = new FleetRegistration({ live: this.#live, store, registration: this.#registration });
    this.#eventLoopLag = parts.eventLoopLag ? new EventLoopLag() : undefined;
    this.#registerAll(parts.backends ?? []);
  }

  /**
   * Registers the backends of a new runtime. After an error, closes the runtime, because the caller
   * cannot close a runtime whose constructor throws.
   */
  #registerAll(backends: Iterable<Backend>): void {
    try {
      for (const backend of backends) this.registerBackend(backend);
    } catch (error) {
      this.close().catch(() => undefined); // the caller gets the first error
      throw error;
    }
  }

  /** The object store with the parameters of the plans. */
  get store(): ObjectStore {
    return this.#parts.store;
  }

  /** The registered backends, which run black boxes and device stages. */
  get backends(): readonly Backend[] {
    return this.#backends;
  }

  /**
   * Registers a backend for programs that are registered later. If several backends support a
   * format, the first one runs its models.
   *
   * After an error, the backend is not registered.
   *
   * @throws ERR_RUNTIME_BACKEND for an invalid backend, or for a name that is already registered;
   * also the errors of the backend's method `attach`.
   * @example runtime.registerBackend(onnxruntimeBackend());
   */
  registerBackend(backend: Backend): void {
    this.#live.checkOpen();
    checkBackend(this.#backends, backend);
    const detach = attached(backend);
    this.#backends = [...this.#backends, backend];
    if (detach !== undefined) this.#detach.push(detach);
  }

  /** The instruction set of the native kernels, or undefined if no addon is loaded. */
  get isa(): string | undefined {
    return this.#isa;
  }

  [inspectKey](...parameters: InspectParameters): string {
    const names = (items: Iterable<{ readonly name: string }>) => Array.from(items, ({ name }) => name);
    const plans = names([...this.#live.plans.values(), ...this.#live.tensors.values()]);
    return inspectView('Runtime', { plans, backends: names(this.#backends), isa: this.#isa }, parameters);
  }

  /**
   * Registers a compiled plan. The plan shares equal stages with plans that are already registered.
   * The runtime holds its own references to the parameters, so the caller may release the compiled
   * plan. After an error, nothing is registered.
   *
   * @throws ERR_RUNTIME_VERSION for a plan of another version; ERR_RUNTIME_OPTION;
   * ERR_RUNTIME_NAME; ERR_RUNTIME_OPERATOR for an operator that this thread has not defined;
   * ERR_BACKEND_MISSING for black boxes without a backend.
   * @example runtime.register(compiled, { cache: { maxBytes: 16 * 2 ** 20 } })
   */
  register<R = Row, A = Answer>(
    compiled: CompiledPlan<R, A>,
    options: RegisterOptions = NO_OPTIONS,
  ): RegisteredPlan<R, A> {
    this.#live.checkOpen();
    return this.#registration.add(compiled as CompiledPlan, options, this.#backends) as RegisteredPlan<R, A>;
  }

  /**
   * Registers a compiled plan as `register` does, and lets the event loop run between pieces of the
   * work. Use it in a service for plans with more than a thousand inputs or stages: `register`
   * blocks the event loop for about 1 ms per 300 of them. The name of the plan is taken at once.
   * During the call, `parameterBytes` and `stages` of `stats` grow. Everything else becomes visible
   * when the promise is fulfilled. Do not release the compiled plan before that.
   *
   * @throws the errors of `register`; ERR_RUNTIME_CLOSED if the runtime is closed during the call.
   * @example
   * const plan = await importModelAsync(bytes, flour);
   * const registered = await runtime.registerAsync(plan);
   * plan.release();
   */
  async registerAsync<R = Row, A = Answer>(
    compiled: CompiledPlan<R, A>,
    options: RegisterOptions = NO_OPTIONS,
  ): Promise<RegisteredPlan<R, A>> {
    this.#live.checkOpen();
    const adding = this.#registration.addInTurns(compiled as CompiledPlan, options, this.#backends);
    return (await adding) as RegisteredPlan<R, A>;
  }

  /**
   * Registers all plans of a fleet by name. A plan is loaded and registered when its name is first
   * passed to `plan` of the result. A process with many models therefore starts fast, and holds
   * only the models that it uses. The fleet may be closed after this call: its file stays mapped
   * until every plan is registered or removed.
   *
   * These plans are registered at once: plans with black boxes, with operators that have a
   * deadline, or with operators that this thread has not defined. If the options reserve executors
   * or select a device, all plans are registered at once.
   *
   * Cost: some µs for each plan. The parameters are not read.
   *
   * @param options options of `register` for every plan, except `name`. The name of each plan is
   * taken at once. If another plan has the name `m`, the plan is named `m~2`.
   * @throws ERR_RUNTIME_OPTION, also for a fleet with another store; ERR_STORE_CLOSED;
   * ERR_STORE_VERSION for a plan of another version; for plans that are registered at once the
   * errors of `register`. After an error, nothing is registered. Damaged parameters of a file that
   * was opened with `verify: false` are found at the first use of a plan.
   * @example
   * const fleet = await openFleet(`${folder}/fleet.brezel`);
   * const runtime = createRuntime({ store: fleet.store });
   * const plans = runtime.registerFleet(fleet);
   * fleet.close();
   * runtime.predictSync(plans.plan(plans.names[0]), 'a good film');
   */
  registerFleet(fleet: FleetSource, options: FleetRegisterOptions = NO_OPTIONS): FleetPlans {
    this.#live.checkOpen();
    return this.#fleets.add(fleet, options, this.#backends);
  }

  /**
   * Registers a program over whole tensors. The constants of the program are not copied to the
   * object store. Backends start to open the black boxes of the program immediately.
   *
   * @throws ERR_RUNTIME_OPTION; ERR_BACKEND_MISSING for black boxes that no backend supports.
   * @example
   * const tensors = runtime.registerTensors(importTensors(bytes).program);
   * const x = { element: 'float32', shape: [1, 2], data: Float32Array.of(1, 2) };
   * const { y } = await runtime.predictTensors(tensors, { x });
   */
  registerTensors(program: RunnableTensors, options: RegisterTensorsOptions = {}): RegisteredTensors {
    this.#live.checkOpen();
    const { names } = this.#live;
    const nameFor = (explicit: string | undefined, usual: string) => names.nameFor(explicit, usual);
    const open = this.#devices.boxes.open;
    const record = tensorsRecord(program, options, this.#backends, this.#tensorKernels, open, nameFor);
    this.#live.tensors.set(record, record);
    names.add(record.name);
    return record;
  }

  /**
   * Removes a plan, a tensor program, or a fleet with all its plans. A shared stage or parameter is
   * freed with the last plan that uses it. Calls in flight end with ERR_RUNTIME_UNKNOWN_PLAN.
   */
  unregister(plan: AnyPlan | RegisteredTensors | FleetPlans): void {
    if (this.#fleets.has(plan)) return this.#fleets.remove(plan);
    const { tensors } = this.#live;
    tensors.get(plan as RegisteredTensors)?.stages?.close();
    if (tensors.delete(plan as RegisteredTensors)) {
      this.#live.names.delete(plan.name);
      return;
    }
    this.#registration.remove(this.#live.record(plan as RegisteredPlan));
  }

  /** Returns whether a plan is registered in this runtime. */
  has(plan: AnyPlan): boolean {
    return this.#live.plans.has(plan);
  }

  /** Ends the quarantine of a plan, so that the next call runs. */
  release(plan: AnyPlan): void {
    this.#live.record(plan).guard.release();
  }

  /**
   * Answers one row synchronously, on the calling thread. A native plan needs only one call to the
   * addon.
   *
   * @param out optional array of `plan.width` float64 numbers. The method writes the answer into
   * this array and returns the array, without allocating memory. A string label is written as its
   * index in `outputs[i].labels`.
   * @throws ERR_RUNTIME_INPUT when the row does not match the schema; ERR_RUNTIME_CUSTOM when a
   * custom operator throws; ERR_RUNTIME_QUARANTINED.
   * @example runtime.predictSync(plan, 'a good film')
   */
  predictSync<R, A>(plan: RegisteredPlan<R, A>, row: NoInfer<R>): A;
  predictSync<R>(plan: RegisteredPlan<R, unknown>, row: NoInfer<R>, out: Float64Array): Float64Array;
  predictSync(plan: RegisteredPlan, row: Row, out?: Float64Array): Answer | Float64Array {
    return predictOne(this.#serving, plan, row, out);
  }

  /**
   * Answers one row. A row whose estimated time is at most 1 ms runs immediately, unless another
   * thread or a device runs it. A row with a longer time waits for a separate turn of the event
   * loop. With `engine: 'auto'`, rows above 0.1 ms also wait while other rows are queued. With
   * `batching`, the row runs when its block is full or the delay has passed.
   *
   * With the option `contributions`, the result also says what each value of the row adds to the
   * score. See `contributions` for the explanation and its cost.
   *
   * @throws the errors of `predictSync`, ERR_RUNTIME_OVERLOADED, ERR_RUNTIME_DEADLINE, and the
   * reason of the signal; with `contributions`, also the errors of `contributions`.
   * @example
   * const { answer, contributions } = await runtime.predict(
   *   plan,
   *   { text: 'a good film' },
   *   { contributions: { top: 2 } },
   * );
   * contributions.answer === answer.output; // => true
   */
  predict<R, A>(
    plan: RegisteredPlan<R, A>,
    row: NoInfer<R>,
    options: Omit<PredictOptions, 'contributions'> & WithContributions,
  ): Promise<ExplainedAnswer<A>>;
  predict<R, A>(plan: RegisteredPlan<R, A>, row: NoInfer<R>, options?: PredictOptions): Promise<A>;
  predict(
    plan: RegisteredPlan,
    row: Row,
    options: PredictOptions | WithContributions = {},
  ): Promise<Answer | ExplainedAnswer> {
    return wantsContributions(options)
      ? predictOneExplained(this.#serving, this.#explaining, plan, row, options)
      : predictOneLater(this.#serving, plan, row, options);
  }

  /**
   * Answers one row with several plans, on the calling thread: arms of an A/B test, an ensemble, or
   * a family of models. A stage that several plans share runs once. The answers have the same bits
   * as the answers of separate calls. Prediction caches are not used.
   *
   * Cost: the first call with a list of plans merges these plans, which takes some microseconds for
   * each stage. Brezel caches the merged plans of the last 64 lists. Plans with different inputs,
   * `maxInputBytes` or engines are not merged.
   *
   * @param plans any number of plans; answers have the same order, and duplicates are allowed.
   * @param row must match the schema of every plan.
   * @param out optional array that receives the numbers of all plans, in order. The method then
   * returns this array.
   * @throws ERR_RUNTIME_INPUT and the other errors of `predictSync`, with the name of the plan.
   * After an error no plan has an answer.
   * @example const [a, b] = runtime.predictManySync([armA, armB], { text: 'a good film' })
   */
  predictManySync<const Plans extends readonly AnyPlan[]>(plans: Plans, row: RowOfPlans<Plans>): PlanAnswers<Plans>;
  predictManySync<const Plans extends readonly AnyPlan[]>(
    plans: Plans,
    row: RowOfPlans<Plans>,
    out: Float64Array,
  ): Float64Array;
  predictManySync(plans: readonly RegisteredPlan[], row: Row, out?: Float64Array): unknown {
    return predictRowManySync(this.#serving, this.#planSets, plans, row, out);
  }

  /**
   * Answers one row with several plans, and lets the event loop run in between. Each turn of the
   * event loop runs plans with about 0.5 ms of estimated work. A plan with more work runs in a
   * separate turn.
   *
   * @throws the errors of `predictManySync`, ERR_RUNTIME_OVERLOADED, ERR_RUNTIME_DEADLINE, and the
   * reason of the signal.
   * @example const answers = await runtime.predictMany(ensemble, row, { deadlineMs: 50 })
   */
  predictMany<const Plans extends readonly AnyPlan[]>(
    plans: Plans,
    row: RowOfPlans<Plans>,
    options: CallOptions = {},
  ): Promise<PlanAnswers<Plans>> {
    return predictRowMany(this.#serving, this.#planSets, plans, row as Row, options) as Promise<never>;
  }

  /**
   * Answers many rows, in order. Every engine gives the same bits as `predictSync`. `batch` sends
   * the rows to executors if they have enough work; otherwise it runs slices of about 0.5 ms on
   * this thread. `request-response` runs all rows without a pause. `auto` selects
   * `request-response` for a few rows with little work, because creating blocks would take longer
   * than it saves. With `contributions`, the explanations are computed after the answers, in slices
   * on this thread.
   *
   * @throws ERR_RUNTIME_INPUT with the index of the row, and then no row is answered;
   * ERR_RUNTIME_UNKNOWN_PLAN when the plan is removed during the call; ERR_RUNTIME_OVERLOADED;
   * ERR_RUNTIME_DEADLINE; the reason of the signal; with `contributions`, also the errors of
   * `contributionsBatch`.
   * @example
   * const signal = AbortSignal.timeout(1000);
   * await runtime.predictBatch(plan, ['good', 'bad'], { deadlineMs: 1000, signal })
   */
  predictBatch<R, A>(
    plan: RegisteredPlan<R, A>,
    rows: readonly NoInfer<R>[],
    options: Omit<RowBatchOptions, 'contributions'> & WithContributions,
  ): Promise<ExplainedAnswer<A>[]>;
  predictBatch<R, A>(plan: RegisteredPlan<R, A>, rows: readonly NoInfer<R>[], options?: RowBatchOptions): Promise<A[]>;
  predictBatch(
    plan: RegisteredPlan,
    rows: readonly Row[],
    options: RowBatchOptions | WithContributions = {},
  ): Promise<(Answer | ExplainedAnswer)[]> {
    return wantsContributions(options)
      ? predictRowsExplained(this.#serving, this.#explaining, plan, rows, options)
      : predictRows(this.#serving, plan, rows, options);
  }

  /**
   * Answers many rows with several plans. A stage that several plans share runs once for each block
   * of rows. The answers have the same bits as the answers of `predictBatch` with each plan.
   *
   * Cost: Brezel merges plans with equal inputs, `maxInputBytes` and engines into groups, as
   * `predictMany` does, and runs one group after another. The blocks of a group run on executors if
   * they have enough work. Plans with black boxes, with operators that have a deadline, or on a
   * device run one by one, as in `predictBatch`. Groups of several plans use no prediction cache.
   * Each group reads the rows again, so do not change the rows before the answers arrive.
   *
   * @param plans any number of plans; duplicates are allowed.
   * @param rows must match the schema of every plan.
   * @param options as in `predictBatch`. Groups ignore the engine of the registration.
   * @returns one list of answers for each plan, in the order of the plans. Each list has the order
   * of the rows.
   * @throws the errors of `predictBatch`, with the names of the plan and the row. After an error no
   * plan has an answer.
   * @example
   * const [a, b] = await runtime.predictManyBatch([armA, armB], ['good', 'bad']);
   */
  predictManyBatch<const Plans extends readonly AnyPlan[]>(
    plans: Plans,
    rows: readonly NoInfer<RowOfPlans<Plans>>[],
    options: BatchOptions = {},
  ): Promise<PlanAnswerLists<Plans>> {
    return predictManyRows(this.#serving, this.#planSets, plans, rows as readonly Row[], options) as Promise<never>;
  }

  /**
   * Answers many rows that are in columns: one array for each input, with `rows * size` elements in
   * row-major order. A typed array holds numbers, an array holds texts. The answers are one array
   * for each output, in the order of the rows, with the same bits as in `predictBatch`. Brezel
   * allocates no object for a row, except with the engine `request-response`, for misses of the
   * option `cache`, and for rows that the option `quality` samples.
   *
   * Cost: a row takes 0.1 to 0.5 µs less CPU time than in `predictBatch`. Brezel does not copy the
   * arrays, so do not change them before the answers arrive.
   *
   * @param columns the columns by input. A plan with one input also accepts the array itself.
   * @throws ERR_RUNTIME_INPUT with the column that is missing, extra, of the wrong kind or of
   * another length, or with the row and the input of an invalid element; the errors of
   * `predictBatch`.
   * @example
   * const { output } = await runtime.predictColumns(plan, { text: ['good', 'bad'] });
   * output.length; // => 2
   */
  predictColumns<R, A>(
    plan: RegisteredPlan<R, A>,
    columns: NoInfer<ColumnsOfRows<R>>,
    options: BatchOptions = {},
  ): Promise<ColumnsOfAnswers<A>> {
    return predictColumnRows(this.#serving, plan as RegisteredPlan, columns, options) as Promise<never>;
  }

  /**
   * Answers one request of a tensor program. Operators run on the calling thread, in slices of
   * about 0.5 ms: the first slice immediately, each later slice in a turn of the event loop. Long
   * operators, such as products of matrices, pause between two slices. Black boxes run on other
   * threads. Brezel does not copy the inputs, so do not change them before the answer arrives. The
   * caller owns the outputs.
   *
   * @throws ERR_RUNTIME_INPUT when the tensors do not match the inputs; ERR_FLOUR_TENSOR with the
   * name of the node whose operator rejects its inputs; ERR_FLOUR_LIMIT when the request exceeds
   * `maxElements` or `maxSteps`; ERR_RUNTIME_OVERLOADED; ERR_RUNTIME_DEADLINE;
   * ERR_RUNTIME_UNKNOWN_PLAN when the program is removed during the call; errors of a backend; the
   * reason of the signal.
   */
  predictTensors(tensors: RegisteredTensors, inputs: TensorInputs, options: CallOptions = {}): Promise<TensorOutputs> {
    return predictTensorsLater(this.#serving, tensors, inputs, options);
  }

  /**
   * Answers the rows of a stream, in order. Rows that are available at the same time run in one
   * block. The next rows are read only after the consumer has taken the answers of this block, so a
   * slow consumer slows down the source. When the consumer stops or the stream fails, the source is
   * closed. With `contributions`, the stream yields answers with explanations.
   *
   * @throws ERR_RUNTIME_INPUT with the index of the row in the stream, errors of the source, and
   * the reason of the signal.
   * @example
   * for await (const { output } of runtime.predictStream(plan, ['good'])) console.log(output);
   */
  predictStream<R, A>(
    plan: RegisteredPlan<R, A>,
    rows: RowSource<NoInfer<R>>,
    options: Omit<StreamOptions, 'contributions'> & WithContributions,
  ): AsyncGenerator<ExplainedAnswer<A>, void, undefined>;
  predictStream<R, A>(
    plan: RegisteredPlan<R, A>,
    rows: RowSource<NoInfer<R>>,
    options?: StreamOptions,
  ): AsyncGenerator<A, void, undefined>;
  predictStream(
    plan: RegisteredPlan,
    rows: RowSource,
    options: StreamOptions | WithContributions = {},
  ): AsyncGenerator<Answer | ExplainedAnswer, void, undefined> {
    return wantsContributions(options)
      ? predictStreamExplained(this.#serving, this.#explaining, plan, rows, options)
      : predictRowStream(this.#serving, plan, rows, options);
  }

  /**
   * Explains an answer to one row: what each number, category and n-gram of the row adds to the
   * score behind the answer. `explain` explains a plan instead.
   *
   * Linear models and forests are explained exactly, through scalers, imputers, encoders, n-grams
   * and PCA. Forests use path-dependent TreeSHAP. The base and the contributions add up to the
   * score: `|base + rest + contributions - raw| <= 1e-6 * (1 + sum of |contributions|)`. The norm
   * of a vector is treated as a constant of the row.
   *
   * With `background`, the row is compared with the rows of a list, for example a sample of the
   * training rows. The base is the mean score of these rows. The contribution of a number of a
   * linear model is its weight times the difference to the mean. Forests use interventional
   * TreeSHAP, which needs no numbers of training rows.
   *
   * With `method: 'sampled'` and a background, the contributions of fields are estimated, also for
   * operators that cannot divide their result. Each contribution then has a standard error. Cost:
   * the plan runs in JavaScript for up to 65 536 rows.
   *
   * Cost: less than a millisecond for a forest of 100 trees with the addon. Other operators are
   * explained in JavaScript, which takes some hundred times as long as `predictSync`. The first
   * call copies the plan's parameters. A copy is freed when no plan uses the parameter.
   *
   * With `interactions: true`, the result also contains the SHAP interaction values of forests.
   * Their computation runs in JavaScript: about 13 milliseconds for 100 trees with 6 levels over 40
   * features. The time grows with the square of the number of features.
   *
   * @param options `output` and `class` choose the element of the answer; `top` limits the list;
   * `interactions` adds the matrix of interactions; `reasons` adds the greatest reasons for and
   * against the class, with the texts of `texts`; `background` lists rows to compare with.
   * @throws ERR_RUNTIME_INPUT; ERR_EXPLAIN_OUTPUT for an unknown output or class;
   * ERR_EXPLAIN_OPERATOR if an operator cannot divide the score among its inputs;
   * ERR_EXPLAIN_COVERS without a background for a forest from a file that does not say how many
   * training rows reached its nodes; ERR_EXPLAIN_LIMIT for interactions of more than 1024
   * contributions, or in a forest that tests more than 1024 features, and for too many background
   * rows; ERR_EXPLAIN_FAILED if an explanation function of an
   * operator has a bug.
   * @see Source: Lundberg et al., "From local explanations to global understanding with explainable
   * AI for trees" (2020), for forests.
   * @example
   * const why = runtime.contributions(plan, { text: 'a good film' }, { top: 2 });
   * console.log(why.contributions.map(({ feature, value }) => `${feature}: ${value}`));
   * const background = [{ text: 'a bad film' }, { text: 'a long film' }];
   * const { base } = runtime.contributions(plan, { text: 'a good film' }, { background });
   * console.log(base); // the mean score of the two rows
   */
  contributions<R>(
    plan: RegisteredPlan<R, unknown>,
    row: NoInfer<R>,
    options: ContributionOptions = {},
  ): Contributions {
    return explainRow(this.#serving, this.#explaining, plan as RegisteredPlan, row as Row, options);
  }

  /**
   * Explains the answers to many rows, as `contributions` does for one row. The method runs on the
   * calling thread and lets the event loop run between blocks of rows.
   *
   * Cost: the addon explains 8 rows of a forest together, which takes less time than 8 single
   * calls.
   *
   * The rows count in the queue until they are explained.
   *
   * @param options also `deadlineMs` and `signal`, which end the call between two blocks.
   * @throws the errors of `contributions`, with the index of the row; ERR_RUNTIME_DEADLINE;
   * ERR_RUNTIME_OVERLOADED if the rows exceed the limits of the queue; ERR_EXPLAIN_LIMIT if the
   * n-grams of all rows have more than 2^20 places.
   * @example
   * const whys = await runtime.contributionsBatch(plan, [{ text: 'a good film' }], { top: 2 });
   * console.log(whys[0].contributions.length);
   */
  contributionsBatch<R>(
    plan: RegisteredPlan<R, unknown>,
    rows: readonly NoInfer<R>[],
    options: ContributionBatchOptions = {},
  ): Promise<Contributions[]> {
    return explainBatch(this.#serving, this.#explaining, plan as RegisteredPlan, rows as readonly Row[], options);
  }

  /**
   * Explains the answers to many rows together: how much each number, category and n-gram changes
   * the score on average. The result has the mean absolute contribution of each feature, for each
   * class of the output. The rows may come from a stream. Brezel explains 64 rows at a time, in
   * slices on the calling thread.
   *
   * Cost: the plan runs once for each row. For each class, Brezel then divides the score of the row
   * among its features.
   * Memory: one entry for each distinct feature of each class, and the sampled explanations. After
   * 2^20 distinct features of a class, further features count as `rest`.
   *
   * @param options `output`, `class` and `background` as for `contributions`; `top` limits the
   * lists; `sample` is the number of rows whose explanations are also returned, drawn with the seed
   * `seed`.
   * @throws the errors of `contributionsBatch`, with the index of the row, and the errors of the
   * stream; ERR_EXPLAIN_LIMIT if the samples list more than 2^21 contributions.
   * @example
   * const rows = [{ text: 'a good film' }, { text: 'a bad film' }];
   * const { classes } = await runtime.importance(plan, rows, { top: 5 });
   * console.log(classes[0].features.map(({ feature, importance }) => [feature, importance]));
   */
  importance<R>(
    plan: RegisteredPlan<R, unknown>,
    rows: RowSource<NoInfer<R>>,
    options: ImportanceOptions = {},
  ): Promise<Importance> {
    return importanceOfRows(this.#serving, this.#explaining, plan as RegisteredPlan, rows as RowSource, options);
  }

  /**
   * Measures a plan. The result has the nanoseconds per row of each stage and of the work outside
   * the stages, and the bytes that each stage reads and writes. After a warm-up, the rows run
   * repeatedly for `durationMs` on the calling thread. The event loop runs between repetitions.
   *
   * @param rows rows that resemble the rows in production, because times depend on the rows.
   * @throws ERR_RUNTIME_INPUT when a row does not match the schema or the list is empty;
   * ERR_RUNTIME_OPTION.
   * @example
   * const rows = [{ text: 'a good film' }];
   * const { stages, total } = await runtime.profile(plan, rows, { durationMs: 20 });
   * console.log(stages.map((stage) => stage.nanoseconds.median / total.median)); // shares
   */
  profile<R>(
    plan: RegisteredPlan<R, unknown>,
    rows: readonly NoInfer<R>[],
    options: ProfileOptions = {},
  ): Promise<PlanProfile> {
    const measured = { store: this.store, isa: this.isa, materialization: this.#materialization };
    return profileRows(this.#serving, measured, plan as RegisteredPlan, rows as readonly Row[], options);
  }

  /**
   * Prepares a plan for its first predictions: reads all parameters into memory and starts the
   * executors. If you pass rows, they also run, so that scratch memory and pooled vectors grow to
   * their final size.
   *
   * Cost: some milliseconds for each new thread, and about 1 ms for 10 MB of parameters.
   *
   * @throws ERR_RUNTIME_INPUT when a row does not match the schema.
   * @example await runtime.warm(plan, { rows: [{ text: 'a good film' }] })
   */
  warm<R>(plan: RegisteredPlan<R, unknown>, options: WarmOptions<NoInfer<R>> = {}): Promise<WarmUpReport> {
    return warmRegistered(this.#serving, this.#parts.native, plan as RegisteredPlan, options as WarmOptions);
  }

  /**
   * Returns where each stage of a plan would currently run a block of `rows` rows. To show this in
   * EXPLAIN, pass `explain` a function that calls this method as `place`.
   *
   * @throws ERR_RUNTIME_UNKNOWN_PLAN; ERR_RUNTIME_OPTION when `rows` is not a positive integer.
   * @example explain(program, { place: () => runtime.placement(plan, 256) })
   */
  placement(plan: AnyPlan, rows: number): StagePlacement[] {
    return placementOf(this.#live.record(plan), rows);
  }

  /**
   * Returns the stages of a plan in the order in which they run, with operators, kernels, memory
   * and the number of plans that share each stage.
   *
   * @throws ERR_RUNTIME_UNKNOWN_PLAN
   * @example runtime.stages(plan).filter(({ plans }) => plans > 1) // the shared stages
   */
  stages(plan: AnyPlan): StageDescription[] {
    return describeStages(this.#live.record(plan), this.store);
  }

  /**
   * Returns the counters of data quality of a plan; undefined if it was registered without
   * `quality`. This call takes less time than `stats`.
   *
   * @throws ERR_RUNTIME_UNKNOWN_PLAN
   */
  quality(plan: AnyPlan): QualityStatistics | undefined {
    for (const feature of this.#live.record(plan).features) {
      const found = (feature.stats?.() as Pick<PlanStatistics, 'quality'> | undefined)?.quality;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Returns statistics of the runtime. A stage or parameter that plans share counts once. */
  stats(): RuntimeStatistics {
    const { queue, executors, isolation } = this.#serving;
    const { native, wasm } = this.#parts;
    const [plans, tensors] = [[...this.#live.plans.values()], [...this.#live.tensors.values()]];
    return {
      ...runtimeStatistics(plans, this.#catalog.stages, this.store, this.isa, tensors),
      unusedPlans: this.#fleets.unused,
      queue: queue.stats(),
      executors: executors.stats(),
      pools: executors.pools(),
      ...(native === undefined && wasm !== undefined && { wasm: wasm.stats() }),
      devices: this.#devices.stats(),
      ...(this.#materialization !== undefined && { materialization: this.#materialization.stats() }),
      ...(isolation !== undefined && { isolation: isolation.stats() }),
      ...(this.#eventLoopLag !== undefined && { eventLoopLag: this.#eventLoopLag.stats() }),
    };
  }

  /**
   * Returns the bytes of the parameters of some plans, or of all plans by default. A shared
   * parameter counts once. The call takes constant time if you omit `plans`.
   *
   * @throws ERR_RUNTIME_UNKNOWN_PLAN
   */
  parameterBytes(plans?: Iterable<AnyPlan>): number {
    if (plans === undefined) return this.#catalog.parameterBytes;
    return parameterBytesOf(
      Array.from(plans, (plan) => this.#live.record(plan)),
      this.store,
    );
  }

  /**
   * Removes all plans and tensor programs, ends the executors, and detaches all backends. Later
   * calls fail with ERR_RUNTIME_CLOSED.
   *
   * @throws ERR_RUNTIME_OPTION; the first error of a backend that cannot be detached. An error does
   * not stop the detachment of the other backends.
   * @example await runtime.close({ drainMs: 5000 }) // calls in flight may end; new calls fail
   */
  async close(options: CloseOptions = {}): Promise<void> {
    checkRuntimeOptions(options, closeOptionNames, 'close');
    const { drainMs = 0 } = options;
    checkedDrain(drainMs);
    this.#live.close();
    const ended = await Promise.allSettled([this.#end(drainMs)]);
    const detached = await detachAll(this.#detach);
    for (const result of [...ended, ...detached]) if (result.status === 'rejected') throw result.reason;
  }

  /** Ends everything except the backends. */
  async #end(drainMs: number): Promise<void> {
    const { queue, executors, isolation } = this.#serving;
    if (drainMs > 0) await queue.drained(drainMs);
    this.#eventLoopLag?.stop();
    this.#fleets.end();
    for (const record of [...this.#live.plans.values()]) this.#registration.remove(record);
    this.#materialization?.close();
    for (const tensors of [...this.#live.tensors.keys()]) this.unregister(tensors);
    await Promise.all([isolation?.close(), executors.close(), this.#registration.settled()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
