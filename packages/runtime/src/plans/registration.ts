import type { Backend, Clock, CompiledPlan, KernelTable } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { PlanBoxes } from '../execute/plan-boxes.js';
import type { PlanEngines } from '../execute/plan-engines.js';
import type { Queue } from '../features/admission/queue.js';
import { DelayedBatching } from '../features/batching/delayed-batching.js';
import { keepingEngine } from '../features/cache/cached-answers.js';
import { CachedPlan } from '../features/cache/cached-plan.js';
import type { Materialization } from '../features/cache/materialization.js';
import type { Devices } from '../features/devices/devices.js';
import type { PlanSets } from '../features/fan-out/plan-sets.js';
import type { ExecutorDoor } from '../parallel/executors/executor-facade.js';
import type { Isolation } from '../parallel/isolated/isolation.js';
import { isolatedPlan } from '../parallel/isolated/operator-deadlines.js';
import { Latencies } from '../telemetry/latencies.js';
import { PlanStageTimes } from '../telemetry/plan-stage-times.js';
import { addDevices } from './add-devices.js';
import type { Catalog } from './catalog.js';
import { checkOperators, checkStages, checkVersion } from './check-plan.js';
import type { LivePlans } from './live-plans.js';
import { refusals } from './native-target.js';
import { PlainOperators } from './plain-operators.js';
import type { PlanLinker } from './plan-linker.js';
import type { PlanRecord } from './plan-record.js';
import {
  type CheckedOptions,
  checkBoxed,
  checkedOptions,
  type RegisterOptions,
  type Sampling,
} from './register-options.js';

/** The parts of a runtime that a plan has to do with when it comes and when it goes. */
export interface RegistrationParts {
  readonly live: LivePlans;
  readonly store: ObjectStore;
  readonly kernels: KernelTable;
  readonly catalog: Catalog;
  readonly linker: PlanLinker;
  readonly engines: PlanEngines;
  readonly queue: Queue;
  readonly executors: ExecutorDoor;
  readonly devices: Devices;
  readonly planSets: PlanSets;
  readonly materialization: Materialization | undefined;
  readonly isolation: Isolation | undefined;
  readonly sampling: Sampling | undefined;
  readonly clock: Clock;
}

/** How plans come into a runtime, and how they go. */
export class Registration {
  readonly #parts: RegistrationParts;
  readonly #plainOperators: PlainOperators;

  constructor(parts: RegistrationParts) {
    this.#parts = parts;
    this.#plainOperators = new PlainOperators(parts.kernels);
  }

  /** Adds a plan. Nothing stays behind after an error. */
  add(compiled: CompiledPlan, options: RegisterOptions, backends: readonly Backend[]): PlanRecord {
    checkVersion(compiled);
    const { live, catalog, linker, kernels, isolation, executors, materialization } = this.#parts;
    const checked = checkedOptions(compiled.name, options);
    const { name, maxInputBytes } = checked;
    const isPlain = this.#plainOperators.areAll(compiled);
    if (!isPlain) checkOperators(kernels, compiled);
    const isolated = isPlain ? undefined : isolatedPlan(compiled, kernels, isolation, checked);
    const stages = refusals(name, () => catalog.add(compiled));
    let boxes: PlanBoxes | undefined;
    let record: PlanRecord | undefined;
    try {
      boxes = isPlain ? undefined : this.#boxesOf(compiled, checked, isolated !== undefined, backends);
      record = linker.link(name, compiled, stages, maxInputBytes, checked, isolated);
      const isRead = record.native === undefined || checked.places.device !== undefined;
      if (isRead) checkStages(kernels, compiled);
      if (boxes !== undefined) record.boxes = boxes;
      addDevices(record, checked, this.#parts.devices);
      this.#addServing(record, checked);
      executors.reserve(record);
      materialization?.enter(record);
      live.plans.set(record, record);
      if (isolated !== undefined) isolation!.add(record);
      return record;
    } catch (error) {
      if (record === undefined) boxes?.close();
      else {
        executors.remove(record, () => error as Error);
        linker.unlink(record);
      }
      catalog.remove(stages);
      throw error;
    }
  }

  /** Removes a plan. What waits or runs is told that it is gone. */
  remove(record: PlanRecord): void {
    const { live, isolation, executors, planSets, linker, materialization, catalog } = this.#parts;
    const goneError = () => live.goneError(record);
    live.plans.delete(record);
    if (record.isolated !== undefined) isolation!.remove(record);
    record.cached?.clear();
    record.batching?.end(goneError);
    executors.remove(record, goneError);
    planSets.forget(record);
    linker.unlink(record);
    materialization?.leave(record);
    catalog.remove(record.stages);
  }

  /** Models of other runtimes in a plan are opened from now on. */
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

  /** What lies between callers and the plan's engine. */
  #addServing(record: PlanRecord, { cache, batching }: CheckedOptions): void {
    const { sampling, engines, store, queue, executors, clock } = this.#parts;
    if (sampling !== undefined) {
      const { sampleEvery, stagesEvery } = sampling;
      record.latencies = new Latencies(sampleEvery);
      if (stagesEvery !== undefined) {
        record.stageTimes = new PlanStageTimes(stagesEvery);
        record.stageClocks = record.stageTimes.clocks(record.stages);
      }
    }
    if (cache !== undefined) {
      const engine = keepingEngine(record, engines.kernels, () => engines.fallback(record));
      record.cached = new CachedPlan(record, engine, store.checksum, cache);
    }
    if (batching !== undefined) {
      const here = () => engines.cachedBlocks(record);
      const blocks = { here, executors: (rows: number) => executors.forRows(record, rows) };
      record.batching = new DelayedBatching(record, blocks, queue, batching, clock);
    }
  }
}
