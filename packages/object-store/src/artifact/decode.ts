import {
  type CompiledPlan,
  dtypeOf,
  type InputPort,
  type KernelCall,
  type OutputPort,
  type ParameterId,
  type PhysicalStage,
  PLAN_VERSION,
  type PlannedStage,
  printType,
  type Step,
  sameType,
  sizeOf,
  type ValueType,
} from '@brezel/core';
import { storeError } from '../errors.js';
import { decodeAttributes } from './attributes.js';
import { type Golden, outputTypes } from './encode.js';
import { fault } from './fault.js';
import type { GoldenT } from './generated/golden.js';
import type { KernelCallT } from './generated/kernel-call.js';
import type { OutputT } from './generated/output.js';
import type { ProgramT } from './generated/program.js';
import type { ShapeT } from './generated/shape.js';
import type { StepT } from './generated/step.js';
import type { ValueTypeT } from './generated/value-type.js';
import type { WiringT } from './generated/wiring.js';
import { dictionaryKeys, dictionaryValues, dtypes, kinds, roles } from './numbering.js';

// The manifest's tables → plain data. Everything is checked that a plan's users rely on: numbers in range, slots written before they are read,
// types that agree. What only operators know (attributes, parameter shapes) is checked by who knows them.

/** Numbers in a row's answer, and columns of a value: hostile files ask for terabytes. */
const MAX_COLUMNS = 2 ** 24;
const MAX_AXES = 16;

/** @throws ERR_STORE_FORMAT */
export function below(number: number, limit: number, at: string): number {
  if (number >= limit) fault(at, `${number}`, `a number below ${limit}`);
  return number;
}

function text(value: string | Uint8Array | null, at: string): string {
  if (typeof value !== 'string' || value === '') return fault(at, 'nothing', 'a name');
  return value;
}

/** Names by which rows and answers are keyed. */
function distinct(names: readonly string[], at: string): void {
  if (new Set(names).size !== names.length) fault(at, 'one name twice');
  if (names.includes('__proto__')) fault(at, '"__proto__"', 'another name');
}

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

/** A stage that still has no parameters. */
export type StageProgram = Omit<PhysicalStage, 'key' | 'role'> & {
  /** Names of the parameters of each step. */
  readonly names: readonly (readonly string[])[];
  /** How many parameters each call has. */
  readonly counts: readonly number[];
  /** How many parameters there are in all. */
  readonly parameters: number;
};

export function decodeProgram(program: ProgramT, at: string): StageProgram {
  const inputs = program.inputs.map((type) => decodeType(type, at));
  const steps = program.steps.map((step, index) => decodeStep(step, inputs.length + index, `${at}, step ${index}`));
  const slots = inputs.length + steps.length;
  const outputs = program.outputs.map((slot) => below(slot, slots, `${at}, outputs`));
  const calls = program.native
    ? program.calls.map((call, index) => decodeCall(call, inputs, steps, `${at}, call ${index}`))
    : undefined;
  if (calls !== undefined) checkCalls(calls, inputs.length, steps, outputs, at);
  const names = program.steps.map((step) => step.parameters);
  const counts = program.native ? program.calls.map((call) => call.parameters) : [];
  const parameters = [...names.map((list) => list.length), ...counts].reduce((sum, count) => sum + count, 0);
  return { program: text(program.checksum, at), inputs, steps, outputs, calls, names, counts, parameters };
}

/** What a file says of a stage beside its program. */
export interface StageFacts {
  readonly key: string | null;
  readonly role: number;
  /** Of the steps in order, then of the calls. */
  readonly parameters: readonly ParameterId[];
}

/** A program with its parameters. */
export function decodeStage({ key, role, parameters }: StageFacts, program: StageProgram, at: string): PhysicalStage {
  const { names, counts, inputs, outputs } = program;
  if (parameters.length !== program.parameters) fault(at, `${parameters.length} parameters`, `${program.parameters}`);
  let next = 0;
  const steps = program.steps.map((step, index) => {
    const own = names[index]!;
    if (own.length === 0) return step;
    const named: Record<string, ParameterId> = {};
    for (let place = 0; place < own.length; place++) named[own[place]!] = parameters[next++]!;
    const { operator, version, attributes, inputs, type } = step;
    return { operator, version, attributes, parameters: named, inputs, type };
  });
  const calls = program.calls?.map(({ kernel, inputs, output, attributes, steps }, index): KernelCall => {
    const own = parameters.slice(next, next + counts[index]!);
    next += own.length;
    return { kernel, inputs, output, parameters: own, attributes, steps };
  });
  return {
    key: text(key, at),
    role: roles[role] ?? fault(at, `role ${role}`),
    program: program.program,
    inputs,
    outputs,
    steps,
    calls,
  };
}

function decodeStep(step: StepT, slot: number, at: string): Step {
  distinct(step.parameters, at);
  return {
    operator: text(step.operator, at),
    version: step.version,
    attributes: decodeAttributes(text(step.attributes, at)) ?? fault(at, 'attributes that cannot be read'),
    parameters: {},
    inputs: step.inputs.map((input) => below(input, slot, at)), // inputs and earlier steps
    type: decodeType(step.type, at),
  };
}

function decodeCall(call: KernelCallT, inputs: readonly ValueType[], steps: readonly Step[], at: string): KernelCall {
  const output = below(call.output, inputs.length + steps.length, at);
  if (output < inputs.length) fault(at, `output slot ${output}, an input`);
  if (!call.attributes.every(Number.isInteger)) fault(at, 'an attribute that is no integer');
  const reads = call.inputs.map((input) => below(input, output, at));
  if (call.kernel === 'alias') checkAlias(reads, output, [...inputs, ...steps.map((step) => step.type)], at);
  return {
    kernel: text(call.kernel, at),
    inputs: reads,
    output,
    parameters: [],
    attributes: call.attributes,
    steps: call.steps.map((step) => below(step, steps.length, at)),
  };
}

/** An alias lies in the memory of what it reads: it must be as large, and laid out alike. */
function checkAlias(inputs: readonly number[], output: number, types: readonly ValueType[], at: string): void {
  const [from, to] = [types[inputs[0]!], types[output]!];
  const isAlike =
    inputs.length === 1 &&
    dtypeOf(from!) === dtypeOf(to) &&
    sizeOf(from!) === sizeOf(to) &&
    (from!.kind === 'sparse') === (to.kind === 'sparse');
  if (!isAlike) fault(at, `an alias of ${inputs.map((slot) => printType(types[slot]!)).join(' and ')}`, printType(to));
}

/**
 * Every slot is written once before it is read, whether calls run as kernels or as the steps they stand for: the last of these writes what the
 * call writes.
 */
function checkCalls(
  calls: readonly KernelCall[],
  inputs: number,
  steps: readonly Step[],
  outputs: readonly number[],
  at: string,
): void {
  const written = new Set(Array.from({ length: inputs }, (_, slot) => slot));
  calls.forEach((call, index) => {
    const where = `${at}, call ${index}`;
    if (written.has(call.output)) fault(where, `slot ${call.output} written twice`);
    if (!call.inputs.every((slot) => written.has(slot))) fault(where, 'a slot that is read before it is written');
    const own = new Set(written);
    for (const step of call.steps) {
      if (!steps[step]!.inputs.every((slot) => own.has(slot))) fault(where, `step ${step} without its inputs`);
      own.add(inputs + step);
    }
    if (call.steps.at(-1) !== call.output - inputs) fault(where, 'steps that end elsewhere');
    written.add(call.output);
  });
  if (!outputs.every((slot) => written.has(slot))) fault(at, 'an output that is never written');
}

export function decodeType(type: ValueTypeT | null, at: string): ValueType {
  if (type === null) return fault(at, 'no type');
  const { size, keys, shape } = type;
  const kind = kinds[type.kind] ?? fault(at, `kind ${type.kind}`);
  if (kind === 'dictionary') return decodeDictionary(type, at);
  const dtype = dtypes[type.dtype] ?? fault(at, `type ${type.dtype}`);
  const sized = () => (size >= 1 && size <= MAX_COLUMNS ? size : fault(at, `${size} columns`, `1 to ${MAX_COLUMNS}`));
  switch (kind) {
    case 'scalar':
      return { kind, dtype };
    case 'vector':
      return { kind, dtype, size: sized() };
    case 'sparse':
      return { kind, size: sized() };
    case 'tokens':
      return { kind };
    case 'map':
      return { kind, keys: keys.length > 0 ? keys : fault(at, 'a map without keys') };
    case 'tensor':
      return { kind, dtype, shape: axes(shape, at) };
  }
}

function decodeDictionary({ dtype, size }: ValueTypeT, at: string): ValueType {
  const values = dictionaryValues[dtype] ?? fault(at, `a dictionary of type ${dtype}`);
  const keys = dictionaryKeys[size] ?? fault(at, `keys of type ${size}`);
  return { kind: 'dictionary', keys, values };
}

/** A shape of two axes or more, none of them empty. */
function axes(shape: readonly number[], at: string): readonly number[] {
  const size = shape.reduce((product, axis) => product * axis, 1);
  if (shape.length >= 2 && shape.length <= MAX_AXES && size >= 1 && size <= MAX_COLUMNS) return shape;
  return fault(at, `a tensor of shape [${shape}]`, `2 to ${MAX_AXES} axes, and 1 to ${MAX_COLUMNS} elements`);
}

/** Golden rows of a plan; their values are checked when they are answered. */
export function decodeGolden(golden: GoldenT, { inputs, width }: CompiledPlan, at: string): Golden {
  const { rows, numbers, answers } = golden;
  const columns = golden.columns.map(({ texts, numbers }, index) => {
    const type = inputs[index]?.type ?? fault(at, 'more columns than inputs');
    const isText = dtypeOf(type) === 'string';
    if ((isText ? texts : numbers).length !== rows * sizeOf(type)) fault(at, 'a column of another length');
    return isText ? texts : Float64Array.from(numbers);
  });
  if (columns.length !== inputs.length) fault(at, `${columns.length} columns`, `${inputs.length}`);
  const isAnswered =
    numbers.length === rows * width ? answers.length === 0 : numbers.length === 0 && answers.length === rows;
  if (!isAnswered) fault(at, 'other numbers of rows and answers');
  return { rows, columns, numbers: Float64Array.from(numbers), answers };
}
