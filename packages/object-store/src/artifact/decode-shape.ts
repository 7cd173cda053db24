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
import { storeError } from '../errors.js';
import { decodeType } from './decode-type.js';
import { outputTypes } from './encode.js';
import { fault } from './fault.js';
import type { OutputT } from './generated/output.js';
import type { ShapeT } from './generated/shape.js';
import type { WiringT } from './generated/wiring.js';
import { below, distinct, MAX_COLUMNS, text } from './table-checks.js';

// Shapes of the manifest → plans. Everything is checked that a plan's users rely on: numbers in range, types that agree wherever two meet.

/** Inputs, outputs and wiring that plans may share. */
export interface PlanShape {
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  /** Plan slots that each stage reads, and its marks. */
  readonly wiring: readonly Pick<PlannedStage, 'inputs' | 'marks'>[];
  readonly width: number;
  readonly nanosPerRow: number;
}

export function decodeShape(shape: ShapeT, at: string): PlanShape {
  const inputs = shape.inputs.map((input, index): InputPort => {
    const where = `${at}, input ${index}`;
    const port = { name: text(input.name, where), type: decodeType(input.type, where) };
    return input.unused ? { ...port, unused: true } : port;
  });
  distinct(
    inputs.map((port) => port.name),
    `${at}, inputs`,
  );
  const outputs = decodeOutputs(shape.outputs, at);
  const width = outputs.reduce((sum, port) => sum + port.length, 0);
  if (outputs.length === 0 || width > MAX_COLUMNS) fault(at, `${width} numbers in an answer`, `1 to ${MAX_COLUMNS}`);
  const { nanosPerRow } = shape;
  if (!(nanosPerRow >= 0)) fault(at, `a cost of ${nanosPerRow}`);
  return {
    inputs,
    outputs,
    wiring: shape.wiring.map((stage, index) => decodeWiring(stage, `${at}, stage ${index}`)),
    width,
    nanosPerRow,
  };
}

function decodeWiring(wiring: WiringT, at: string): PlanShape['wiring'][number] {
  const { inputs, maxVectorSizes, vectorizable, materializable, nanosPerRow } = wiring;
  if (!(nanosPerRow >= 0) || !maxVectorSizes.every((size) => size >= 0)) fault(at, 'a size or cost below zero');
  return { inputs, marks: { maxVectorSizes, vectorizable, materializable, nanosPerRow } };
}

/** A shape over stages of certain programs: what plans have in common that differ in parameters only. */
export interface PlanForm extends PlanShape {
  readonly wiring: readonly Omit<PlannedStage, 'stage'>[];
}

/** Puts stages into a shape: slots are numbered, and types must agree wherever two meet. The result holds for all stages of the same programs. */
export function decodeForm(shape: PlanShape, stages: readonly PhysicalStage[], at: string): PlanForm {
  const { inputs, outputs, wiring } = shape;
  if (stages.length !== wiring.length) fault(at, `${stages.length} stages`, `${wiring.length}`);
  const slots = inputs.map((input) => input.type);
  const planned = stages.map((stage, index): PlanForm['wiring'][number] => {
    const { inputs: reads, marks } = wiring[index]!;
    const where = `${at}, stage ${index}`;
    if (marks.maxVectorSizes.length !== stage.outputs.length)
      fault(where, `${marks.maxVectorSizes.length} vector sizes`, `${stage.outputs.length}`);
    if (reads.length !== stage.inputs.length) fault(where, `${reads.length} inputs`, `${stage.inputs.length}`);
    reads.forEach((slot, place) => agree(slots[below(slot, slots.length, where)]!, stage.inputs[place]!, where));
    return { inputs: reads, outputs: outputTypes(stage).map((type) => slots.push(type) - 1), marks };
  });
  const read = new Set([...wiring.flatMap((stage) => stage.inputs), ...outputs.map((port) => port.slot)]);
  const hidden = inputs.findIndex((input, slot) => input.unused && read.has(slot));
  if (hidden >= 0) fault(at, `input "${inputs[hidden]!.name}" is read`, 'an input that nothing reads');
  for (const port of outputs)
    agree(port.type, slots[below(port.slot, slots.length, at)]!, `${at}, output "${port.name}"`);
  return { ...shape, wiring: planned };
}

/** A plan of a form. `parameters`: of all its stages. */
export function assemblePlan(
  name: string,
  { inputs, outputs, wiring, width, nanosPerRow }: PlanForm,
  stages: readonly PhysicalStage[],
  parameters: readonly ParameterId[],
): CompiledPlan {
  const planned: PlannedStage[] = [];
  for (let at = 0; at < stages.length; at++) {
    const { inputs, outputs, marks } = wiring[at]!;
    planned.push({ stage: stages[at]!, inputs, outputs, marks });
  }
  return { version: PLAN_VERSION, name, inputs, outputs, stages: planned, parameters, width, nanosPerRow };
}

function agree(type: ValueType, expected: ValueType, at: string): void {
  if (type !== expected && !sameType(type, expected)) fault(at, printType(type), printType(expected));
}

export function checkVersion(version: number, at: () => string): void {
  if (version === PLAN_VERSION) return;
  const expected = `plans of version ${PLAN_VERSION}`;
  throw storeError('ERR_STORE_VERSION', { expected, received: `${version}`, at: at() });
}

function decodeOutputs(outputs: readonly OutputT[], at: string): OutputPort[] {
  let offset = 0;
  const decoded = outputs.map((output, index): OutputPort => {
    const where = `${at}, output ${index}`;
    const type = decodeType(output.type, where);
    const length = type.kind === 'tokens' ? 1 : sizeOf(type);
    const labels = output.labels.length > 0 ? { labels: output.labels } : {};
    const port = { name: text(output.name, where), type, slot: output.slot, offset, length, ...labels };
    offset += length;
    return output.wide ? { ...port, wide: true } : port;
  });
  distinct(
    decoded.map((port) => port.name),
    `${at}, outputs`,
  );
  return decoded;
}
