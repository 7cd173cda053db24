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
import type { Isa, NativeKernels } from './native.js';

/** Slot kinds and element types as the addon numbers them (native/README.md, section 2). */
const kinds = { text: 0, sparse: 1, dense: 2, dictionary: 3 } as const;
const dtypes: Readonly<Record<DType, number>> = { float32: 0, float64: 1, int64: 2, int32: 3, bool: 4, string: 5 };

/** Whether a stage can run in the addon: every step has a kernel, and every value that enters or leaves it has a slot layout there. */
export function isNative(stage: PhysicalStage, kernelNames: ReadonlySet<string>): boolean {
  if (stage.calls === undefined) return false;
  const types = [...stage.inputs, ...stage.steps.map((step) => step.type)];
  const crossing = [...stage.inputs, ...stage.outputs.map((slot) => types[slot]!)];
  return (
    stage.calls.every((call) => call.kernel === 'alias' || kernelNames.has(call.kernel)) && crossing.every(hasLayout)
  );
}

const hasLayout = (type: ValueType): boolean => type.kind !== 'tokens';

type NativeStage = Parameters<NativeKernels['stageCreate']>[0];

/** All of a stage but its parameters: the same for every stage of one program. */
export type StageSkeleton = Omit<NativeStage, 'parameters'>;

/** What the skeleton depends on. */
export function skeletonKey({ program, calls }: PhysicalStage): string {
  let key = program;
  for (let at = 0; at < calls!.length; at++) key += ` ${calls![at]!.parameters.length}`;
  return key;
}

/** A skeleton with the parameters of a stage. */
export function stageProgram(stage: PhysicalStage, skeleton: StageSkeleton, store: ObjectStore): NativeStage {
  const calls = stage.calls!;
  const handles: number[] = [];
  for (let at = 0; at < calls.length; at++) {
    const { kernel, parameters } = calls[at]!;
    if (kernel === 'alias') continue;
    for (let one = 0; one < parameters.length; one++) handles.push(store.handle(parameters[one]!));
  }
  const { isa, slots, instructions, inputs, outputs } = skeleton;
  return { isa, slots, instructions, inputs, outputs, parameters: new Float64Array(handles) };
}

/** Stage → the integers that the addon interprets. Slots that only re-type another one share its memory; parameters are numbered call by call. */
export function stageSkeleton(stage: PhysicalStage, isa: Isa, kernelIds: ReadonlyMap<string, number>): StageSkeleton {
  const calls = stage.calls!.filter((call) => call.kernel !== 'alias');
  const alias = new Map(
    stage.calls!.filter((call) => call.kernel === 'alias').map((call) => [call.output, call.inputs[0]!]),
  );
  const source = (slot: number): number => {
    const from = alias.get(slot);
    return from === undefined ? slot : source(from);
  };
  const types = [...stage.inputs, ...stage.steps.map((step) => step.type)];
  const used = [...new Set([...stage.inputs.map((_, slot) => slot), ...calls.map((call) => call.output)])];
  const place = new Map(used.map((slot, at) => [slot, at]));
  const slotOf = (slot: number) => place.get(source(slot)) ?? unknownSlot(stage, slot);
  let parameters = 0;
  const numbered = (call: KernelCall) => call.parameters.map(() => parameters++);
  const lookups = new Set(calls.filter((call) => call.kernel === 'lookup').map((call) => call.output));
  return {
    isa,
    slots: Int32Array.from(used.flatMap((slot) => slotFields(types[slot]!, lookups.has(slot)))),
    instructions: Int32Array.from(calls.flatMap((call) => instruction(call, kernelIds, slotOf, numbered(call)))),
    inputs: Int32Array.from(stage.inputs, (_, slot) => slotOf(slot)),
    outputs: Int32Array.from(stage.outputs, slotOf),
  };
}

function unknownSlot(stage: PhysicalStage, slot: number): never {
  throw new InternalError(`slot ${slot} of stage ${stage.key} has no value`);
}

/** The three numbers of a slot: kind, element type, columns a row. */
function slotFields(type: ValueType, isLabel: boolean): number[] {
  if (type.kind === 'dictionary') return [kinds.dictionary, 0, 1];
  const dtype = dtypeOf(type);
  const kind = type.kind === 'sparse' ? kinds.sparse : dtype === 'string' && !isLabel ? kinds.text : kinds.dense;
  return [kind, kind === kinds.text ? 0 : dtypes[dtype], sizeOf(type)];
}

function instruction(
  call: KernelCall,
  kernelIds: ReadonlyMap<string, number>,
  slotOf: (slot: number) => number,
  parameters: readonly number[],
): number[] {
  return [
    kernelIds.get(call.kernel)!,
    call.inputs.length,
    1,
    call.parameters.length,
    call.attributes.length,
    ...call.inputs.map(slotOf),
    slotOf(call.output),
    ...parameters,
    ...call.attributes,
  ];
}
