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
import type { ExecutorFacade } from '../parallel/executors/executor-facade.js';
import type { Isolation } from '../parallel/isolated/isolation.js';
import { operatorDeadlines } from '../parallel/isolated/operator-deadlines.js';
import { announceFirstAnswer } from '../telemetry/first-answer.js';
import { Latencies } from '../telemetry/latencies.js';
import { PlanStageTimes } from '../telemetry/plan-stage-times.js';
import type { Catalog } from './catalog.js';
import { checkOperators, checkStages, checkVersion } from './check-plan.js';
import { withExactIntegers } from './exact-integers.js';
import type { LivePlans } from './live-plans.js';
import { withPlanName } from './native-target.js';
import { PlainOperators } from './plain-operators.js';
import type { PlanLinker } from './plan-linker.js';
import { planPorts } from './plan-ports.js';
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

/** Adds plans to a runtime and removes them. */
export class Registration {
  readonly #parts: RegistrationParts;
  readonly #plainOperators: PlainOperators;
  readonly #chain: ChainParts;

  constructor(parts: RegistrationParts) {
    this.#parts = parts;
    this.#plainOperators = new PlainOperators(parts.kernels);
    this.#chain = { ...parts, checksum: parts.store.checksum };
  }

  /** Registers a plan. If the method throws, nothing is registered. */
  add(given: CompiledPlan, options: RegisterOptions, backends: readonly Backend[]): PlanRecord {
    checkVersion(given);
    const { live, catalog, linker, kernels, isolation, executors, materialization } = this.#parts;
    const compiled = withExactIntegers(given, kernels);
    const checked = checkedOptions(live.names.nameFor(options?.name, compiled.name), options);
    const { name, maxInputBytes } = checked;
    const isPlain = this.#plainOperators.areAll(compiled);
    if (!isPlain) checkOperators(kernels, compiled);
    const isolated = isPlain ? undefined : operatorDeadlines(compiled, kernels, isolation, checked);
    const stages = withPlanName(name, () => catalog.add(compiled));
    let boxes: PlanBoxes | undefined;
    let plan: ServedPlan | undefined;
    let record: PlanRecord | undefined;
    try {
      boxes = isPlain ? undefined : this.#boxesOf(compiled, checked, isolated !== undefined, backends);
      plan = linker.link(name, compiled, stages, maxInputBytes, {
        scheduling: checked.scheduling,
        isolated,
        ports: planPorts(compiled, checked.rows, kernels, this.#parts.store),
      });
      const isRead = plan.planHandle === undefined || checked.places.device !== undefined;
      if (isRead) checkStages(kernels, compiled);
      if (boxes !== undefined) plan.boxes = boxes;
      this.#addClocks(plan);
      const guard = new PlanGuard(name, checked.quarantine, this.#parts.clock);
      const { execute, features } = chainOf({ plan, guard, options: checked, parts: this.#chain });
      record = recordOf(plan, { answersBy: checked.engine, guard, execute, features });
      announceFirstAnswer(record);
      executors.reserve(record);
      materialization?.enter(record);
      live.plans.set(record, record);
      live.names.add(name);
      if (isolated !== undefined) isolation!.add(record);
      return record;
    } catch (error) {
      for (const feature of record?.features ?? []) feature.close?.();
      if (plan === undefined) boxes?.close();
      else {
        executors.remove(plan, () => error as Error);
        linker.unlink(plan);
      }
      catalog.remove(stages);
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
