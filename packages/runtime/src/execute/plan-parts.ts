import type { CompiledPlan, PlanEngine, PlannedStage } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { CatalogStage, KernelTarget } from '../plans/catalog.js';
import { NativeSegment } from './native/native-segment.js';
import { segmentsOf } from './native/segments.js';
import type { PlanPart } from './work.js';

/**
 * The segments of a plan. Each segment runs in one engine. A plan has segments only if one call to
 * the kernels cannot run the whole plan.
 */
export interface PlanParts {
  readonly list: readonly PlanPart[];
  readonly engine: PlanEngine;
  /** Estimated time of a row in nanoseconds. */
  readonly nanosPerRow: number;
  release(): void;
}

/**
 * The kernels of an engine take about this many times as long as the kernels of the addon. Without
 * kernels, `javascript`, reference implementations run. The factors convert the estimated times of
 * stages, which are times in the addon.
 */
export const ENGINE_FACTORS = { native: 1, wasm: 2, javascript: 15 } as const;
/** The engine of a plan takes this many times as long around the stages of a plan in segments. */
const AROUND_FACTOR = 5;
/** Estimated nanoseconds of a call to kernels, including the copies of its inputs and outputs. */
const CALL_NANOS = 2000;

/**
 * Creates the segments of a plan. If one segment cannot be created, releases the segments that were
 * created before.
 */
export function planParts(
  plan: CompiledPlan,
  held: readonly CatalogStage[],
  target: KernelTarget | undefined,
  store: ObjectStore,
): PlanParts {
  const isNative = held.map((stage) => stage.stageHandle !== undefined);
  const segments: NativeSegment[] = [];
  const release = () => {
    for (const segment of segments.splice(0)) segment.release();
  };
  try {
    const list = segmentsOf(plan.stages, isNative).flatMap(({ isNative, stages }): readonly PlanPart[] => {
      if (!isNative) return stages;
      const segment = new NativeSegment(plan, stages, held, target!, store);
      segments.push(segment);
      return [segment];
    });
    const engine = segments.length > 0 ? 'mixed' : 'javascript';
    return { list, engine, nanosPerRow: nanosOf(plan, held, segments.length), release };
  } catch (error) {
    release();
    throw error;
  }
}

function nanosOf({ nanosPerRow, stages }: CompiledPlan, held: readonly CatalogStage[], crossings: number): number {
  const inStages = stages.reduce((sum, { marks }) => sum + marks.nanosPerRow, 0);
  // The estimate of a stage without kernels already holds for JavaScript.
  const factor = ({ stage }: PlannedStage, at: number) =>
    stage.calls === undefined ? 1 : ENGINE_FACTORS[held[at]!.engine];
  const here = stages.reduce((sum, planned, at) => sum + planned.marks.nanosPerRow * factor(planned, at), 0);
  const around = (nanosPerRow - inStages) * AROUND_FACTOR;
  return around + here + crossings * CALL_NANOS;
}
