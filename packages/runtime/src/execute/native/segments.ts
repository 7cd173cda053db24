import type { PlannedStage } from '@brezel/core';

/**
 * Stages that run one after the other in one engine. `stages` contains their indexes in the plan,
 * which need not be adjacent.
 */
export interface Segment {
  readonly isNative: boolean;
  readonly stages: readonly number[];
}

/**
 * Divides a plan into segments of native stages and of JavaScript stages. The number of segments is
 * as small as possible, because values are copied between segments. Each stage comes after the
 * stages whose results it reads.
 */
export function segmentsOf(stages: readonly PlannedStage[], isNative: readonly boolean[]): Segment[] {
  const [javaScriptFirst, nativeFirst] = [false, true].map((first) => alternate(stages, isNative, first));
  return nativeFirst!.length < javaScriptFirst!.length ? nativeFirst! : javaScriptFirst!;
}

/**
 * Divides a plan into segments of alternating engines. Each segment takes all stages of its engine
 * whose inputs are ready.
 */
function alternate(stages: readonly PlannedStage[], isNative: readonly boolean[], first: boolean): Segment[] {
  const makers = new Map(stages.flatMap(({ outputs }, at) => outputs.map((slot) => [slot, at] as const)));
  const done = new Set<number>();
  const segments: Segment[] = [];
  for (let engine = first; done.size < stages.length; engine = !engine) {
    const taken: number[] = [];
    stages.forEach(({ inputs }, at) => {
      // Stages are in order, so one pass also finds the stages that become ready during the pass.
      if (done.has(at) || isNative[at] !== engine) return;
      if (!inputs.every((slot) => !makers.has(slot) || done.has(makers.get(slot)!))) return;
      done.add(at);
      taken.push(at);
    });
    if (taken.length > 0) segments.push({ isNative: engine, stages: taken });
  }
  return segments;
}
