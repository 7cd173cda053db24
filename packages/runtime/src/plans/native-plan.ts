import { type CompiledPlan, dtypeOf, type PlannedStage } from '@brezel/core';
import type { NativeKernels } from '../execute/native/native-kernels.js';
import type { CatalogStage } from './catalog.js';

/** Whether one call into the addon can answer a row of the plan. */
export function isWhollyNative({ inputs, outputs }: CompiledPlan, stages: readonly CatalogStage[]): boolean {
  for (let at = 0; at < stages.length; at++) if (stages[at]!.stageHandle === undefined) return false;
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

/** What plans have in common whose stages are wired alike. */
type Wiring = Omit<NativePlan, 'stages' | 'maxInputBytes'> & {
  /** The lists it was made from, by stage. */
  readonly of: readonly Pick<PlannedStage, 'inputs' | 'outputs'>[];
};

/** By the list of outputs, which plans of one form in a fleet file share. */
const wirings = new WeakMap<CompiledPlan['outputs'], Wiring>();

/**
 * The plan as the addon takes it: its stages, which slots each reads and writes, where rows enter
 * and answers leave.
 */
export function nativePlan(plan: CompiledPlan, stages: readonly CatalogStage[], maxInputBytes: number): NativePlan {
  const handles: number[] = new Array(stages.length);
  for (let at = 0; at < stages.length; at++) handles[at] = stages[at]!.stageHandle!;
  let known = wirings.get(plan.outputs);
  if (known === undefined || !isWiredAlike(plan, known)) {
    known = wiringOf(plan);
    wirings.set(plan.outputs, known);
  }
  return { stages: handles, wiring: known.wiring, inputs: known.inputs, outputs: known.outputs, maxInputBytes };
}

/** Lists that are the same are equal; others are not looked into. */
function isWiredAlike({ inputs, stages }: CompiledPlan, known: Wiring): boolean {
  if (stages.length !== known.of.length || inputs.length !== known.inputs.length) return false;
  for (let at = 0; at < stages.length; at++) {
    const stage = stages[at]!;
    const other = known.of[at]!;
    if (stage.inputs !== other.inputs || stage.outputs !== other.outputs) return false;
  }
  return true;
}

function wiringOf({ inputs, outputs, stages }: CompiledPlan): Wiring {
  const wiring: number[] = [];
  const of: Wiring['of'][number][] = [];
  for (let at = 0; at < stages.length; at++) {
    const { inputs: reads, outputs: writes } = stages[at]!;
    wiring.push(reads.length, writes.length, ...reads, ...writes);
    of.push({ inputs: reads, outputs: writes });
  }
  return {
    wiring: Int32Array.from(wiring),
    inputs: Int32Array.from(inputs, (_, slot) => slot),
    outputs: Int32Array.from(outputs, ({ slot }) => slot),
    of,
  };
}
