import type { Backend, Clock, CompiledPlan, KernelTable } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { PlanBoxes } from '../execute/plan-boxes.js';
import type { PlanEngines } from '../execute/plan-engines.js';
import type { Queue } from '../features/admission/queue.js';
import type { Materialization } from '../features/cache/materialization.js';
import { type ChainParts, chainOf } from '../features/chain.js';
import { PlanGuard } from '../features/circuit-breaker/plan-guard.js';
import type { Devices } from '../features/devices/devices.js';
import type { PlanSets } from '../features/fan-out/plan-sets.js';
import type { InputChecks } from '../features/quality/input-checks.js';
import { planChecks } from '../features/quality/plan-checks.js';
import type { ExecutorFacade } from '../parallel/executors/executor-facade.js';
import type { OperatorDeadlines } from '../parallel/isolated/isolated-plan.js';
import type { Isolation } from '../parallel/isolated/isolation.js';
import { operatorDeadlines } from '../parallel/isolated/operator-deadlines.js';
import { announceFirstAnswer } from '../telemetry/first-answer.js';
import { Latencies } from '../telemetry/latencies.js';
import { PlanStageTimes } from '../telemetry/plan-stage-times.js';
import type { Catalog, CatalogStage } from './catalog.js';
import { checkOperators, checkStages, checkVersion } from './check-plan.js';
import { withExactIntegers } from './exact-integers.js';
import type { Operator } from './fleet-source.js';
import { piecesWithPlanName } from './kernel-target.js';
import type { LivePlans } from './live-plans.js';
import { atOnce, inTurns, PIECE_STEPS, type Pieces } from './pieces.js';
import { PlainOperators } from './plain-operators.js';
import type { PlanLinker } from './plan-linker.js';
import { type PlanPorts, planPorts } from './plan-ports.js';
import { type PlanRecord, recordOf } from './plan-record.js';
import { type CheckedOptions, checkBoxed, checkedOptions, type RegisterOptions } from './register-options.js';
import type { ServedPlan } from './registered-plan.js';
import type { Sampling } from './runtime-options.js';

/** The objects of a runtime with which plans are registered. */
export interface RegistrationParts {
  readonly live: LivePlans;
  readonly clock: Clock;
  readonly store: ObjectStore;
  readonly kernels: KernelTable;
  readonly catalog: Catalog;
  readonly linker: PlanLinker;
  readonly engines: PlanEngines;
  readonly queue: Queue;
  readonly executors: ExecutorFacade;
  readonly devices: Devices;
  readonly planSets: PlanSets;
  readonly materialization: Materialization | undefined;
  readonly isolation: Isolation | undefined;
  readonly sampling: Sampling | undefined;
}

/** A plan whose options are checked, before its stages are in the catalog. */
interface PreparedPlan {
  readonly compiled: CompiledPlan;
  readonly checked: CheckedOptions;
  /** Whether the plan has plain operators only, so that it needs no worker thread or backend. */
  readonly isPlain: boolean;
  readonly isolated: OperatorDeadlines | undefined;
  readonly backends: readonly Backend[];
}

interface CheckedPorts {
  readonly ports: PlanPorts;
  /** The data quality checks of the inputs. Empty without the option `quality`. */
  readonly checks: readonly InputChecks[];
}

interface LinkedPlan extends PreparedPlan, CheckedPorts {
  readonly stages: readonly CatalogStage[];
}

/**
 * Returns whether a plan has so many inputs, stages and parameters that it is registered in several
 * pieces.
 */
export const isLargePlan = ({ inputs, stages, parameters }: CompiledPlan): boolean =>
  inputs.length + stages.length + parameters.length > PIECE_STEPS;

/** Adds plans to a runtime and removes them. */
export class Registration {
  readonly #parts: RegistrationParts;
  readonly #plainOperators: PlainOperators;
  readonly #chain: ChainParts;
  /** One promise for each call of `addInTurns` that is in progress. */
  readonly #adding = new Set<Promise<void>>();

  constructor(parts: RegistrationParts) {
    this.#parts = parts;
    this.#plainOperators = new PlainOperators(parts.kernels);
    this.#chain = { ...parts, checksum: parts.store.checksum };
  }

  /** Registers a plan. If the method throws, nothing is registered. */
  add(given: CompiledPlan, options: RegisterOptions, backends: readonly Backend[]): PlanRecord {
    return atOnce(this.#addInPieces(given, options, backends));
  }

  /**
   * Registers a plan under a name that the caller has taken for it. If the method throws, the name
   * stays taken.
   */
  addTaken(given: CompiledPlan, checked: CheckedOptions, backends: readonly Backend[]): PlanRecord {
    checkVersion(given);
    return atOnce(this.#addNamed(given, checked, backends));
  }

  /** Returns whether all operators of some stages need neither a worker thread nor a backend. */
  arePlain(stages: readonly (readonly Operator[])[]): boolean {
    return stages.every((steps) => this.#plainOperators.areAllOf(steps));
  }

  /** Registers a plan as `add` does. The event loop runs between pieces of the work. */
  addInTurns(given: CompiledPlan, options: RegisterOptions, backends: readonly Backend[]): Promise<PlanRecord> {
    const adding = inTurns(this.#addInPieces(given, options, backends), () => this.#parts.live.checkOpen());
    const ended = adding.then(
      () => void this.#adding.delete(ended),
      () => void this.#adding.delete(ended),
    );
    this.#adding.add(ended);
    return adding;
  }

  /** Waits until no call of `addInTurns` is in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#adding);
  }

  *#addInPieces(given: CompiledPlan, options: RegisterOptions, backends: readonly Backend[]): Pieces<PlanRecord> {
    checkVersion(given);
    const { names } = this.#parts.live;
    const checked = checkedOptions(names.nameFor(options?.name, given.name), options);
    names.add(checked.name); // before the next piece, in which another plan may be registered
    try {
      return yield* this.#addNamed(given, checked, backends);
    } catch (error) {
      names.delete(checked.name);
      throw error;
    }
  }

  *#addNamed(given: CompiledPlan, checked: CheckedOptions, backends: readonly Backend[]): Pieces<PlanRecord> {
    const { catalog, kernels, isolation } = this.#parts;
    const { name } = checked;
    const compiled = withExactIntegers(given, kernels);
    const isPlain = this.#plainOperators.areAll(compiled);
    if (!isPlain) checkOperators(kernels, compiled);
    const isolated = isPlain ? undefined : operatorDeadlines(compiled, kernels, isolation, checked);
    const prepared = { compiled, checked, isPlain, isolated, backends };
    let stages: CatalogStage[] = [];
    try {
      if (isLargePlan(compiled)) yield;
      stages = yield* piecesWithPlanName(name, catalog.addInPieces(compiled));
      const { ports, checks } = yield* this.#portsInPieces(prepared);
      return yield* this.#linkInPieces({ ...prepared, stages, ports, checks });
    } catch (error) {
      catalog.remove(stages);
      throw error;
    }
  }

  /** Returns the inputs and outputs of a plan, and the checks of the data quality of its inputs. */
  *#portsInPieces({ compiled, checked: { rows, quality } }: PreparedPlan): Pieces<CheckedPorts> {
    const { kernels, store } = this.#parts;
    const ports = yield* planPorts(compiled, rows, kernels, store);
    const checks = quality === undefined ? [] : yield* planChecks(compiled, kernels, store);
    if (isLargePlan(compiled)) yield;
    return { ports, checks };
  }

  /** Links a plan and adds it to the runtime. The plan becomes visible in the last piece. */
  *#linkInPieces(linked: LinkedPlan): Pieces<PlanRecord> {
    const { compiled, checked, isPlain, isolated, backends, stages, ports } = linked;
    const { linker, executors } = this.#parts;
    let boxes: PlanBoxes | undefined;
    let plan: ServedPlan | undefined;
    try {
      boxes = isPlain ? undefined : this.#boxesOf(compiled, checked, isolated !== undefined, backends);
      const { name, maxInputBytes, scheduling } = checked;
      plan = linker.link(name, compiled, stages, maxInputBytes, { scheduling, isolated, ports });
      if (boxes !== undefined) plan.boxes = boxes;
      if (isLargePlan(compiled)) yield;
      return this.#enter(plan, linked);
    } catch (error) {
      if (plan === undefined) boxes?.close();
      else {
        executors.remove(plan, () => error as Error);
        linker.unlink(plan);
      }
      throw error;
    }
  }

  /** Builds the serving features of a linked plan, and makes the plan visible to all calls. */
  #enter(plan: ServedPlan, { compiled, checked, checks, isolated }: LinkedPlan): PlanRecord {
    const { live, kernels, isolation, executors, materialization } = this.#parts;
    const isRead = plan.planHandle === undefined || checked.places.device !== undefined;
    if (isRead) checkStages(kernels, compiled);
    this.#addClocks(plan);
    const guard = new PlanGuard(plan.name, checked.quarantine, this.#parts.clock);
    const { execute, features } = chainOf({ plan, guard, options: checked, checks, parts: this.#chain });
    try {
      const record = recordOf(plan, { answersBy: checked.engine, guard, execute, features });
      announceFirstAnswer(record);
      executors.reserve(record);
      materialization?.enter(record);
      live.plans.set(record, record);
      if (isolated !== undefined) isolation!.add(record);
      return record;
    } catch (error) {
      for (const feature of features) feature.close?.();
      throw error;
    }
  }

  /** Removes a plan. Its calls in flight end with ERR_RUNTIME_UNKNOWN_PLAN. */
  remove(record: PlanRecord): void {
    const { live, isolation, executors, planSets, linker, materialization, catalog } = this.#parts;
    const goneError = () => live.goneError(record);
    record.gone = goneError;
    live.plans.delete(record);
    live.names.delete(record.name);
    if (record.isolated !== undefined) isolation!.remove(record);
    for (const feature of record.features) feature.end?.(goneError);
    executors.remove(record, goneError);
    planSets.forget(record);
    for (const feature of record.features) feature.close?.();
    linker.unlink(record);
    materialization?.leave(record);
    catalog.remove(record.stages);
  }

  /**
   * Creates the black boxes of a plan, which then open in the background. Returns undefined for a
   * plan without black boxes.
   */
  #boxesOf(
    compiled: CompiledPlan,
    checked: CheckedOptions,
    isIsolated: boolean,
    backends: readonly Backend[],
  ): PlanBoxes | undefined {
    if (!PlanBoxes.has(compiled)) return undefined;
    checkBoxed(checked, isIsolated);
    const { store, devices } = this.#parts;
    return new PlanBoxes(compiled, backends, store, checked.places, devices.boxes.open);
  }

  /** Adds latencies and clocks to a plan, if the runtime measures them. */
  #addClocks(plan: ServedPlan): void {
    const { sampling } = this.#parts;
    if (sampling === undefined) return;
    const { sampleEvery, stagesEvery } = sampling;
    plan.latencies = new Latencies(sampleEvery);
    if (stagesEvery === undefined) return;
    plan.stageTimes = new PlanStageTimes(stagesEvery);
    plan.stageClocks = plan.stageTimes.clocks(plan.stages);
  }
}
