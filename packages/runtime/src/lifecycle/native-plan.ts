import { type CompiledPlan, dtypeOf } from '@brezel/core';
import type { CatalogStage } from '../catalog.js';
import type { NativeKernels } from '../native.js';

/** Whether one call into the addon can answer a row of the plan. */
export function isWhollyNative({ inputs, outputs }: CompiledPlan, stages: readonly CatalogStage[]): boolean {
  for (let at = 0; at < stages.length; at++) if (stages[at]!.native === undefined) return false;
  for (let at = 0; at < outputs.length; at++) {
    const { type, labels, slot, wide } = outputs[at]!;
    // A text that is no looked-up label has no number: such an output needs JavaScript.
    if (labels === undefined && dtypeOf(type) === 'string') return false;
    // An out-array is of float64, which does not hold every int64.
    if (wide) return false;
    // What comes out as it went in is written by no stage: JavaScript hands it on.
    if (slot < inputs.length) return false;
  }
  return true;
}

type NativePlan = Parameters<NativeKernels['planCreate']>[0];

/** The plan as the addon takes it: its stages, which slots each reads and writes, where rows enter and answers leave. */
export function nativePlan(
  { inputs, outputs, stages: planned }: CompiledPlan,
  stages: readonly CatalogStage[],
  maxInputBytes: number,
): NativePlan {
  const wiring: number[] = [];
  const handles = new Float64Array(stages.length);
  for (let at = 0; at < stages.length; at++) {
    const { inputs, outputs } = planned[at]!;
    wiring.push(inputs.length, outputs.length, ...inputs, ...outputs);
    handles[at] = stages[at]!.native!;
  }
  const entries = new Int32Array(inputs.length);
  for (let slot = 0; slot < entries.length; slot++) entries[slot] = slot;
  const exits = new Int32Array(outputs.length);
  for (let at = 0; at < exits.length; at++) exits[at] = outputs[at]!.slot;
  return { stages: handles, wiring: new Int32Array(wiring), inputs: entries, outputs: exits, maxInputBytes };
}
