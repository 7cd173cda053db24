import {
  type DType,
  dtypeOf,
  InternalError,
  type KernelCall,
  type PhysicalStage,
  sizeOf,
  type ValueType,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { Isa, RowKernels } from '../execute/native/native-kernels.js';
import { PIECE_STEPS, type Pieces } from './pieces.js';

/**
 * The numbers with which the addon identifies slot kinds and element types (native/README.md,
 * section 2).
 */
const kinds = { text: 0, sparse: 1, dense: 2, dictionary: 3 } as const;
const dtypes: Readonly<Record<DType, number>> = { float32: 0, float64: 1, int64: 2, int32: 3, bool: 4, string: 5 };

/**
 * Returns whether a stage can run in the addon: every operator has a native kernel, and the addon
 * can store each input and output of the stage in a slot.
 */
export function isNative({ inputs, steps, outputs, calls }: PhysicalStage, kernelNames: ReadonlySet<string>): boolean {
  if (calls === undefined) return false;
  for (let at = 0; at < calls.length; at++)
    if (calls[at]!.kernel !== 'alias' && !kernelNames.has(calls[at]!.kernel)) return false;
  for (let at = 0; at < inputs.length; at++) if (!hasLayout(inputs[at]!)) return false;
  for (let at = 0; at < outputs.length; at++) {
    const slot = outputs[at]!;
    if (!hasLayout(slot < inputs.length ? inputs[slot]! : steps[slot - inputs.length]!.type)) return false;
  }
  return true;
}

const hasLayout = (type: ValueType): boolean => type.kind !== 'tokens';

type NativeStage = Parameters<RowKernels['stageCreate']>[0];

/**
 * A native stage without its parameters. Stages that differ only in parameters share this object.
 */
export type StageSkeleton = Omit<NativeStage, 'parameters'> & {
  /** The number of parameters of the stage. The addon receives each parameter as a handle. */
  readonly handles: number;
};

/** Adds the parameters of a stage to its skeleton. The addon creates the stage from the result. */
export function* stageProgram(stage: PhysicalStage, skeleton: StageSkeleton, store: ObjectStore): Pieces<NativeStage> {
  const calls = stage.calls!;
  const handles: number[] = new Array(skeleton.handles);
  let next = 0;
  for (let at = 0; at < calls.length; at++) {
    const { kernel, parameters } = calls[at]!;
    if (kernel === 'alias') continue;
    for (let index = 0; index < parameters.length; index++) {
      handles[next++] = store.handle(parameters[index]!);
      if (next % PIECE_STEPS === 0) yield;
    }
  }
  const { isa, slots, instructions, inputs, outputs } = skeleton;
  return { isa, slots, instructions, inputs, outputs, parameters: handles };
}

/**
 * Converts a stage to the integers from which the addon creates it. If an operator only changes the
 * type of a value, both values share one slot of the addon. Parameters are numbered in the order of
 * the kernel calls. The code uses plain loops, which V8 runs fast even in a new process, before it
 * has compiled the code.
 */
export function stageSkeleton(stage: PhysicalStage, isa: Isa, kernelIds: ReadonlyMap<string, number>): StageSkeleton {
  const { inputs, steps, outputs } = stage;
  const calls = stage.calls!;
  const places = slotPlaces(stage);
  const slots: number[] = [];
  for (let slot = 0; slot < inputs.length; slot++) addSlot(slots, inputs[slot]!, false);
  const instructions: number[] = [];
  let handles = 0;
  for (let at = 0; at < calls.length; at++) {
    const call = calls[at]!;
    if (call.kernel === 'alias') continue;
    addSlot(slots, steps[call.output - inputs.length]!.type, call.kernel === 'lookup');
    addInstruction(instructions, call, kernelIds.get(call.kernel)!, places, handles);
    handles += call.parameters.length;
  }
  for (let at = 0; at < outputs.length; at++) if (places[outputs[at]!] === NO_PLACE) unknownSlot(stage, outputs[at]!);
  return {
    isa,
    slots: Int32Array.from(slots),
    instructions: Int32Array.from(instructions),
    inputs: places.slice(0, inputs.length),
    outputs: Int32Array.from(outputs, (slot) => places[slot]!),
    handles,
  };
}

const NO_PLACE = -1;

/**
 * Returns the slot of the addon for each slot of the stage: first the inputs, then the outputs of
 * kernel calls. The output of an `alias` call has the slot of its input.
 */
function slotPlaces(stage: PhysicalStage): Int32Array {
  const { inputs, steps, calls } = stage;
  const places = new Int32Array(inputs.length + steps.length).fill(NO_PLACE);
  for (let slot = 0; slot < inputs.length; slot++) places[slot] = slot;
  for (let at = 0, next = inputs.length; at < calls!.length; at++) {
    const call = calls![at]!;
    for (let index = 0; index < call.inputs.length; index++)
      if (places[call.inputs[index]!] === NO_PLACE) unknownSlot(stage, call.inputs[index]!);
    places[call.output] = call.kernel === 'alias' ? places[call.inputs[0]!]! : next++;
  }
  return places;
}

function unknownSlot(stage: PhysicalStage, slot: number): never {
  throw new InternalError(`slot ${slot} of stage ${stage.key} has no value`);
}

/**
 * Appends the three numbers that describe a slot: its kind, its element type, and the number of its
 * elements in a row.
 */
function addSlot(slots: number[], type: ValueType, isLabel: boolean): void {
  if (type.kind === 'dictionary') {
    slots.push(kinds.dictionary, 0, 1);
    return;
  }
  const dtype = dtypeOf(type);
  const kind = type.kind === 'sparse' ? kinds.sparse : dtype === 'string' && !isLabel ? kinds.text : kinds.dense;
  slots.push(kind, kind === kinds.text ? 0 : dtypes[dtype], sizeOf(type));
}

/**
 * Appends one kernel call. `parameters` is the total number of parameters of the previous calls.
 */
function addInstruction(
  instructions: number[],
  { inputs, output, parameters: own, attributes }: KernelCall,
  kernel: number,
  places: Int32Array,
  parameters: number,
): void {
  instructions.push(kernel, inputs.length, 1, own.length, attributes.length);
  for (let index = 0; index < inputs.length; index++) instructions.push(places[inputs[index]!]!);
  instructions.push(places[output]!);
  for (let index = 0; index < own.length; index++) instructions.push(parameters + index);
  for (let index = 0; index < attributes.length; index++) instructions.push(attributes[index]!);
}
