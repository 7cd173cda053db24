import { type CompiledPlan, dtypeOf, type PlannedStage } from '@brezel/core';
import type { RowKernels } from '../execute/native/native-kernels.js';
import type { CatalogStage } from './catalog.js';

/** Returns whether the addon can run a row through the whole plan in one call. */
export function isWhollyNative({ inputs, outputs }: CompiledPlan, stages: readonly CatalogStage[]): boolean {
  for (let at = 0; at < stages.length; at++) if (stages[at]!.stageHandle === undefined) return false;
  for (let at = 0; at < outputs.length; at++) {
    const { type, labels, slot, wide } = outputs[at]!;
    // The addon returns texts only as indexes into a lookup table, so JavaScript must return a text
    // without such a table.
    if (labels === undefined && dtypeOf(type) === 'string') return false;
    // An out-array is float64, which cannot hold every int64.
    if (wide) return false;
    // No stage writes an output that is also an input, so JavaScript copies it.
    if (slot < inputs.length) return false;
  }
  return true;
}

type NativePlan = Parameters<RowKernels['planCreate']>[0];

/**
 * The slots of a plan's stages, inputs and outputs, in the form that the addon reads. Plans whose
 * stages are connected in the same way share this object.
 */
type Wiring = Omit<NativePlan, 'stages' | 'maxInputBytes'> & {
  /** The slot lists of each stage, from which this object was built. */
  readonly of: readonly Pick<PlannedStage, 'inputs' | 'outputs'>[];
};

/**
 * Caches the wiring of plans. The key is the list of outputs, because plans of a fleet file share
 * this list if their stages are connected in the same way.
 */
const wirings = new WeakMap<CompiledPlan['outputs'], Wiring>();

/**
 * Returns a plan in the form of the addon: its stages, the slots that each stage reads and writes,
 * and the slots of inputs and outputs.
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

/**
 * Returns whether the slot lists of a plan are the same objects as the lists of a cached wiring.
 * Does not compare the contents of lists.
 */
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
