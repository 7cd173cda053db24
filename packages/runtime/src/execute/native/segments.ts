import type { PlannedStage } from '@brezel/core';

/** Stages that run back to back in one engine, by their place in the plan. */
export interface Segment {
  readonly isNative: boolean;
  readonly stages: readonly number[];
}

/**
 * Cuts a plan into runs of stages of the addon and of JavaScript, as few as can be: every crossing
 * copies what lies between. Stages come in an order in which each follows those it reads.
 */
export function segmentsOf(stages: readonly PlannedStage[], isNative: readonly boolean[]): Segment[] {
  const [javaScriptFirst, nativeFirst] = [false, true].map((first) => alternate(stages, isNative, first));
  return nativeFirst!.length < javaScriptFirst!.length ? nativeFirst! : javaScriptFirst!;
}

/** Takes all stages of one engine that can run, then all of the other, and so on. */
function alternate(stages: readonly PlannedStage[], isNative: readonly boolean[], first: boolean): Segment[] {
  const makers = new Map(stages.flatMap(({ outputs }, at) => outputs.map((slot) => [slot, at] as const)));
  const done = new Set<number>();
  const segments: Segment[] = [];
  for (let engine = first; done.size < stages.length; engine = !engine) {
    const taken: number[] = [];
    stages.forEach(({ inputs }, at) => {
      // Stages are in order: one pass finds all that follow each other.
      if (done.has(at) || isNative[at] !== engine) return;
      if (!inputs.every((slot) => !makers.has(slot) || done.has(makers.get(slot)!))) return;
      done.add(at);
      taken.push(at);
    });
    if (taken.length > 0) segments.push({ isNative: engine, stages: taken });
  }
  return segments;
}
