import {
  type CompiledPlan,
  dtypeOf,
  type InputPort,
  type KernelTable,
  type MissingCall,
  type PhysicalStage,
  sizeOf,
  type ValueType,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { runtimeError } from '../errors.js';
import { PIECE_STEPS, type Pieces } from './pieces.js';

/**
 * For each element of a value: 1 if NaN in this element means a missing value for a later operator.
 */
type Mask = Uint8Array<ArrayBufferLike>;

/**
 * Returns the inputs of a plan with marks for the elements that may be missing. An element of a
 * float input may be missing if an operator that handles NaN receives it: an imputer, a test for
 * NaN, or trees that have learned missing values. The definition of an operator says how it treats
 * NaN.
 *
 * @throws ERR_RUNTIME_OPTION if the definitions of the operators are not loaded.
 */
export function* inputsWithMissing(plan: CompiledPlan, kernels: KernelTable, store: ObjectStore): Pieces<InputPort[]> {
  const { missing } = kernels;
  if (missing === undefined)
    throw runtimeError('ERR_RUNTIME_OPTION', {
      expected: "missing: 'refuse'",
      received: "missing: 'accept', but the definitions of the operators are not loaded",
      at: plan.name,
      hint: "import 'brezel' beside 'brezel/serve'",
    });
  const masks = new Map<number, Mask>();
  let work = 0;
  for (const { stage, inputs, outputs } of plan.stages.toReversed()) {
    work += stage.inputs.length + stage.steps.length;
    if (work > PIECE_STEPS) {
      yield;
      work = 0;
    }
    const before = yield* masksOfStage(
      stage,
      outputs.map((slot) => masks.get(slot)),
      missing,
      store,
    );
    inputs.forEach((slot, at) => void masks.set(slot, either(masks.get(slot), before[at]!)));
  }
  return plan.inputs.map((port, slot) => withMissing(port, masks.get(slot)));
}

/** Returns the masks of the inputs of a stage from the masks of its outputs. */
function* masksOfStage(
  { inputs, steps, outputs }: PhysicalStage,
  after: readonly (Mask | undefined)[],
  missing: NonNullable<KernelTable['missing']>,
  store: ObjectStore,
): Pieces<Mask[]> {
  const types = [...inputs, ...steps.map(({ type }) => type)];
  const masks: Mask[] = types.map((type) => new Uint8Array(elementsOf(type)));
  outputs.forEach((slot, at) => {
    masks[slot] = either(masks[slot], after[at]);
  });
  for (let index = steps.length - 1; index >= 0; index--) {
    if (index % PIECE_STEPS === PIECE_STEPS - 1) yield;
    const step = steps[index]!;
    const call: Omit<MissingCall, 'input'> = {
      step,
      inputTypes: step.inputs.map((slot) => types[slot]!),
      after: masks[inputs.length + index]!,
      parameter: (name) => store.get(step.parameters[name]!),
    };
    step.inputs.forEach((slot, input) => {
      if (isFloat(types[slot]!)) masks[slot] = either(masks[slot], missing({ ...call, input }));
    });
  }
  return masks.slice(0, inputs.length);
}

/** Joins two masks of the same length: an element is 1 if it is 1 in at least one of them. */
function either(one: Mask | undefined, other: Mask | undefined): Mask {
  if (one === undefined || other === undefined) return one ?? other ?? new Uint8Array();
  return one.map((is, at) => is | other[at]!);
}

function withMissing(port: InputPort, mask: Mask | undefined): InputPort {
  if (port.unused || !isFloat(port.type) || !mask?.includes(1)) return port;
  return { ...port, missing: mask.includes(0) ? Array.from(mask, (is) => is === 1) : true };
}

const hasElements = ({ kind }: ValueType): boolean =>
  kind === 'scalar' || kind === 'vector' || kind === 'tensor' || kind === 'sparse';
const elementsOf = (type: ValueType): number => (hasElements(type) ? sizeOf(type) : 0);
const isFloat = (type: ValueType): boolean =>
  hasElements(type) && (dtypeOf(type) === 'float32' || dtypeOf(type) === 'float64');
