import type { PlannedStage } from '@brezel/core';

/** Neighboring stages in one engine, by their indexes in the plan. */
export interface Segment {
  readonly isNative: boolean;
  readonly stages: readonly number[];
}

/**
 * Cuts a plan into segments of native and JavaScript stages. It produces as few segments as
 * possible, because every crossing copies the values in between. Each stage follows the stages that
 * it reads.
 */
export function segmentsOf(stages: readonly PlannedStage[], isNative: readonly boolean[]): Segment[] {
  const [javaScriptFirst, nativeFirst] = [false, true].map((first) => alternate(stages, isNative, first));
  return nativeFirst!.length < javaScriptFirst!.length ? nativeFirst! : javaScriptFirst!;
}

/** Takes all ready stages of one engine, then all ready stages of the other engine, and so on. */
function alternate(stages: readonly PlannedStage[], isNative: readonly boolean[], first: boolean): Segment[] {
  const makers = new Map(stages.flatMap(({ outputs }, at) => outputs.map((slot) => [slot, at] as const)));
  const done = new Set<number>();
  const segments: Segment[] = [];
  for (let engine = first; done.size < stages.length; engine = !engine) {
    const taken: number[] = [];
    stages.forEach(({ inputs }, at) => {
      // Stages are in order, so one pass finds all stages that follow each other.
      if (done.has(at) || isNative[at] !== engine) return;
      if (!inputs.every((slot) => !makers.has(slot) || done.has(makers.get(slot)!))) return;
      done.add(at);
      taken.push(at);
    });
    if (taken.length > 0) segments.push({ isNative: engine, stages: taken });
  }
  return segments;
}
