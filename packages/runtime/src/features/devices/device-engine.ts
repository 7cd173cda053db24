import type { CompiledPlan, KernelTable } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { blockRowsFor } from '../../execute/batch.js';
import { JavaScriptEngine } from '../../execute/javascript-engine.js';
import { NativeSegment } from '../../execute/native/native-segment.js';
import { planParts } from '../../execute/plan-parts.js';
import { stageWork } from '../../execute/stages/stage-work.js';
import type { PlanPart, Work } from '../../execute/work.js';
import type { ExecutorFacade } from '../../parallel/executors/executor-facade.js';
import type { Priority } from '../../parallel/executors/scheduling-options.js';
import { SegmentWork } from '../../parallel/executors/segment-work.js';
import type { Catalog, CatalogStage, KernelTarget } from '../../plans/catalog.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { StageClocks } from '../../telemetry/stage-clocks.js';
import type { DeviceStage } from './device-stage.js';
import { DeviceWork } from './device-work.js';

/** The objects of the runtime with which a device engine runs stages on the CPU. */
export interface EngineParts {
  readonly target: KernelTarget | undefined;
  readonly store: ObjectStore;
  readonly kernels: KernelTable;
  readonly catalog: Catalog;
  readonly executors: ExecutorFacade;
}

/** A stage of a plan that can run on a device. */
export interface LoweredStage {
  readonly at: number;
  readonly stage: DeviceStage;
}

/** The stages of a plan that can run on a device, and the plan's options for these stages. */
export interface PlanShare {
  readonly lowered: readonly LoweredStage[];
  /** Whether the plan requested `gpu`. Otherwise each call selects device or CPU. */
  readonly isAsked: boolean;
  readonly priority: Priority;
  /** The largest number of rows that each device stage of the plan accepts in one call. */
  readonly maxBatch: number;
}

export interface DeviceEngineParts extends EngineParts {
  readonly record: ServedPlan;
  readonly share: PlanShare;
  /** The plan, divided so that each device stage is a separate stage. */
  readonly compiled: CompiledPlan;
  readonly held: readonly CatalogStage[];
}

/**
 * Runs a plan with device stages. Device stages run on the device, and other stages run in the
 * addon or in JavaScript.
 */
export class DeviceEngine {
  readonly plan: JavaScriptEngine;
  readonly stages: readonly DeviceStage[];
  /** Clocks of the device stages and CPU stages of the plan, if the runtime measures stages. */
  readonly stageClocks: StageClocks | undefined;
  readonly #share: PlanShare;
  readonly #otherNanos: number;
  readonly #releases: (() => void)[] = [];

  constructor({ record, share, compiled, held, target, store, kernels, executors }: DeviceEngineParts) {
    const { name, maxInputBytes, boxes, clock } = record;
    const lowered = new Map(share.lowered.map(({ at, stage }) => [at, stage]));
    this.stages = share.lowered.map(({ stage }) => stage);
    this.#share = share;
    const places = [...lowered.keys()];
    this.stageClocks = record.stageTimes?.deviceClocks(held, places);
    const others = compiled.stages.filter((_, at) => !lowered.has(at));
    this.#otherNanos = others.reduce((sum, { marks }) => sum + marks.nanosPerRow, 0);
    const apart = held.map((stage, at) => (lowered.has(at) ? { ...stage, stageHandle: undefined } : stage));
    const parts = planParts(compiled, apart, target, store);
    this.#releases.push(() => parts.release());
    const onExecutors = (segment: NativeSegment): Work => {
      const work = new SegmentWork(segment, record, compiled, (...wanted) => executors.segment(...wanted));
      this.#releases.push(() => work.end());
      return work;
    };
    const cpuWork = (at: number): Work => {
      if (held[at]!.stageHandle === undefined) return stageWork(compiled, at, kernels, store, undefined, undefined);
      const segment = new NativeSegment(compiled, [at], held, target!, store);
      this.#releases.push(() => segment.release());
      return onExecutors(segment);
    };
    const { isAsked, priority } = share;
    const partOf = (part: PlanPart): PlanPart => {
      if (part instanceof NativeSegment) return onExecutors(part);
      const stage = typeof part === 'number' ? lowered.get(part) : undefined;
      if (stage === undefined) return part;
      const at = part as number;
      const clockPlace = held.length + places.indexOf(at);
      return new DeviceWork({
        planned: compiled.stages[at]!,
        stage,
        cpu: cpuWork(at),
        isAsked,
        priority,
        clock,
        clockPlace,
      });
    };
    try {
      const list = parts.list.map(partOf);
      const plan = { ...compiled, name };
      this.plan = new JavaScriptEngine(plan, kernels, store, maxInputBytes, list, undefined, boxes);
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** The largest number of rows in one call of the device. */
  get maxBatch(): number {
    return this.#share.maxBatch;
  }

  /** The number of rows that a CPU stage runs before the event loop can run. */
  get blockRows(): number {
    return Math.min(blockRowsFor(this.#otherNanos), this.maxBatch);
  }

  release(): void {
    // Releases run in reverse order, because executors must release a segment before the addon
    // releases the segment.
    for (const release of this.#releases.splice(0).reverse()) release();
  }
}
