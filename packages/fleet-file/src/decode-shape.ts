import {
  type CompiledPlan,
  type InputPort,
  type OutputPort,
  type ParameterId,
  type PhysicalStage,
  PLAN_VERSION,
  type PlannedStage,
  printType,
  sameType,
  sizeOf,
  type ValueType,
} from '@brezel/core';
import { storeError } from '@brezel/object-store';
import { throwFormatError } from './format-error.js';
import { vtableOffsets } from './manifest-reader.js';
import type { ManifestValues } from './manifest-values.js';
import { below, distinct, MAX_COLUMNS } from './table-checks.js';

// Decodes the shapes of plans in a manifest to plain data. Builds plans from shapes and stages.

const { Shape: shapeFields, Input: inputFields, Output: outputFields, Wiring: wiringFields } = vtableOffsets;

/**
 * The inputs and outputs of a plan, and the slots that each stage reads. Plans of a family often
 * share a shape.
 */
export interface PlanShape {
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  /**
   * For each stage: the slots of the plan that the stage reads, and its `marks` (the properties
   * that Oven derived in its last step).
   */
  readonly wiring: readonly Pick<PlannedStage, 'inputs' | 'marks'>[];
  readonly width: number;
  readonly nanosPerRow: number;
}

/**
 * Decodes the shape of a plan from its table in the manifest.
 *
 * @throws ERR_STORE_FORMAT
 */
export function decodeShape(manifest: ManifestValues, table: number, at: string): PlanShape {
  const { reader } = manifest;
  const inputs = decodeInputs(manifest, table, at);
  const outputs = decodeOutputs(manifest, table, at);
  const last = outputs.at(-1);
  const width = last === undefined ? 0 : last.offset + last.length;
  if (outputs.length === 0 || width > MAX_COLUMNS)
    throwFormatError(at, `${width} numbers in an answer`, `1 to ${MAX_COLUMNS}`);
  const nanosPerRow = reader.double(table, shapeFields.nanos_per_row);
  if (!isCost(nanosPerRow)) throwFormatError(at, `a cost of ${nanosPerRow}`);
  const wiring: PlanShape['wiring'][number][] = [];
  for (let index = 0, count = reader.count(table, shapeFields.wiring); index < count; index++)
    wiring.push(decodeWiring(manifest, reader.tableAt(table, shapeFields.wiring, index), `${at}, stage ${index}`));
  return { inputs, outputs, wiring, width, nanosPerRow };
}

/**
 * Returns whether a number can be the nanoseconds of a row. Schedulers add costs and divide by
 * costs, so an infinite cost would become NaN.
 */
const isCost = (nanos: number): boolean => nanos >= 0 && nanos <= Number.MAX_SAFE_INTEGER;

/** The kinds of values that a row can have, as Flour defines them for inputs of programs. */
const inputKinds: readonly ValueType['kind'][] = ['scalar', 'vector', 'tensor', 'dictionary'];

function decodeInputs(manifest: ManifestValues, table: number, at: string): InputPort[] {
  const { reader } = manifest;
  const inputs: InputPort[] = [];
  for (let index = 0, count = reader.count(table, shapeFields.inputs); index < count; index++) {
    const input = reader.tableAt(table, shapeFields.inputs, index);
    const where = `${at}, input ${index}`;
    const name = manifest.name(input, inputFields.name, where);
    const type = manifest.type(input, inputFields.type, where);
    if (!inputKinds.includes(type.kind)) throwFormatError(where, printType(type), inputKinds.join(' or '));
    inputs.push(reader.byte(input, inputFields.unused) === 0 ? { name, type } : { name, type, unused: true });
  }
  distinct(namesOf(inputs), `${at}, inputs`);
  return inputs;
}

function decodeOutputs(manifest: ManifestValues, table: number, at: string): OutputPort[] {
  const { reader } = manifest;
  const outputs: OutputPort[] = [];
  let offset = 0;
  for (let index = 0, count = reader.count(table, shapeFields.outputs); index < count; index++) {
    const output = reader.tableAt(table, shapeFields.outputs, index);
    const where = `${at}, output ${index}`;
    const type = manifest.type(output, outputFields.type, where);
    const length = type.kind === 'tokens' ? 1 : sizeOf(type);
    const name = manifest.name(output, outputFields.name, where);
    const labels = reader.texts(output, outputFields.labels);
    const port = { name, type, slot: reader.uint(output, outputFields.slot), offset, length };
    const labelled = labels.length > 0 ? { ...port, labels } : port;
    outputs.push(reader.byte(output, outputFields.wide) === 0 ? labelled : { ...labelled, wide: true });
    offset += length;
  }
  distinct(namesOf(outputs), `${at}, outputs`);
  return outputs;
}

const namesOf = (ports: readonly { readonly name: string }[]) => ports.map((port) => port.name);

function decodeWiring({ reader }: ManifestValues, table: number, at: string): PlanShape['wiring'][number] {
  const nanosPerRow = reader.double(table, wiringFields.nanos_per_row);
  const maxVectorSizes = reader.doubles(table, wiringFields.max_vector_sizes);
  if (!isCost(nanosPerRow) || !maxVectorSizes.every((size) => size >= 0))
    throwFormatError(at, 'a size or cost out of range');
  const vectorizable = reader.byte(table, wiringFields.vectorizable) !== 0;
  const materializable = reader.byte(table, wiringFields.materializable) !== 0;
  const inputs = reader.uints(table, wiringFields.inputs);
  return { inputs, marks: { maxVectorSizes, vectorizable, materializable, nanosPerRow } };
}

/**
 * A shape, and the slots that each stage writes. Plans with the same form have equal stage
 * programs, so they differ only in name and parameters.
 */
export interface PlanForm extends PlanShape {
  readonly wiring: readonly Omit<PlannedStage, 'stage'>[];
}

/**
 * Assigns a number to each slot that a stage of a plan writes, and checks that each stage and each
 * output reads a slot of the expected type. The form is also valid for other stages with the same
 * programs.
 *
 * @throws ERR_STORE_FORMAT
 */
export function decodeForm(shape: PlanShape, stages: readonly PhysicalStage[], at: string): PlanForm {
  const { inputs, outputs, wiring } = shape;
  if (stages.length !== wiring.length) throwFormatError(at, `${stages.length} stages`, `${wiring.length}`);
  const slots: ValueType[] = [];
  for (let slot = 0; slot < inputs.length; slot++) slots.push(inputs[slot]!.type);
  const planned: PlanForm['wiring'][number][] = [];
  for (let index = 0; index < stages.length; index++)
    planned.push(wireStage(wiring[index]!, stages[index]!, slots, `${at}, stage ${index}`));
  checkUnused(shape, at);
  for (let index = 0; index < outputs.length; index++) {
    const { type, slot } = outputs[index]!;
    if (type !== slots[below(slot, slots.length, at)])
      agree(type, slots[slot]!, `${at}, output "${outputs[index]!.name}"`);
  }
  return { ...shape, wiring: planned };
}

/**
 * Appends the types of the outputs of a stage to `slots`, and returns the slots that the stage
 * reads and writes.
 */
function wireStage(
  { inputs, marks }: PlanShape['wiring'][number],
  stage: PhysicalStage,
  slots: ValueType[],
  at: string,
): PlanForm['wiring'][number] {
  const { steps } = stage;
  if (marks.maxVectorSizes.length !== stage.outputs.length)
    throwFormatError(at, `${marks.maxVectorSizes.length} vector sizes`, `${stage.outputs.length}`);
  if (inputs.length !== stage.inputs.length) throwFormatError(at, `${inputs.length} inputs`, `${stage.inputs.length}`);
  for (let index = 0; index < inputs.length; index++)
    agree(slots[below(inputs[index]!, slots.length, at)]!, stage.inputs[index]!, at);
  const outputs: number[] = [];
  for (let index = 0; index < stage.outputs.length; index++) {
    const slot = stage.outputs[index]!;
    const first = stage.inputs.length;
    outputs.push(slots.push(slot < first ? stage.inputs[slot]! : steps[slot - first]!.type) - 1);
  }
  return { inputs, outputs, marks };
}

function checkUnused({ inputs, outputs, wiring }: PlanShape, at: string): void {
  if (!inputs.some((input) => input.unused)) return;
  const read = new Set([...wiring.flatMap((stage) => stage.inputs), ...outputs.map((port) => port.slot)]);
  const hidden = inputs.findIndex((input, slot) => input.unused && read.has(slot));
  if (hidden >= 0) throwFormatError(at, `input "${inputs[hidden]!.name}" is read`, 'an input that nothing reads');
}

/** Builds a plan from its form and its stages. `parameters` lists the parameters of all stages. */
export function assemblePlan(
  name: string,
  { inputs, outputs, wiring, width, nanosPerRow }: PlanForm,
  stages: readonly PhysicalStage[],
  parameters: readonly ParameterId[],
): CompiledPlan {
  const planned: PlannedStage[] = new Array(stages.length);
  for (let at = 0; at < stages.length; at++) {
    const { inputs, outputs, marks } = wiring[at]!;
    planned[at] = { stage: stages[at]!, inputs, outputs, marks };
  }
  return { version: PLAN_VERSION, name, inputs, outputs, stages: planned, parameters, width, nanosPerRow };
}

function agree(type: ValueType, expected: ValueType, at: string): void {
  if (type !== expected && !sameType(type, expected)) throwFormatError(at, printType(type), printType(expected));
}

export function checkVersion(version: number, at: () => string): void {
  if (version === PLAN_VERSION) return;
  const expected = `plans of version ${PLAN_VERSION}`;
  throw storeError('ERR_STORE_VERSION', { expected, received: `${version}`, at: at() });
}
