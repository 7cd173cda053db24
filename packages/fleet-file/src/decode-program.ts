import {
  dtypeOf,
  type KernelCall,
  type ParameterId,
  type PhysicalStage,
  printType,
  type Step,
  sizeOf,
  type ValueType,
} from '@brezel/core';
import { fault } from './fault.js';
import { places } from './manifest-reader.js';
import type { ManifestValues } from './manifest-values.js';
import { roles } from './numbering.js';
import { below, distinct } from './table-checks.js';

// Programs and stages of a manifest → plain data. Loops, and no text of a place before something is wrong there: all of this runs once a program, in a
// process that has compiled nothing yet. What only operators know (attributes, parameter shapes) is checked by who knows them.

const { Program: programFields, Step: stepFields, KernelCall: callFields } = places;

/** A stage that still has no parameters. */
export type StageProgram = Omit<PhysicalStage, 'key' | 'role'> & {
  /** Names of the parameters of each step. */
  readonly names: readonly (readonly string[])[];
  /** How many parameters each call has. */
  readonly counts: readonly number[];
  /** How many parameters there are in all. */
  readonly parameters: number;
};

/** @throws ERR_STORE_FORMAT */
export function decodeProgram(manifest: ManifestValues, table: number, at: string): StageProgram {
  const { reader } = manifest;
  const program = manifest.name(table, programFields.checksum, at);
  const inputs = manifest.types(table, programFields.inputs, at);
  const types = [...inputs];
  const steps: Step[] = [];
  const names: (readonly string[])[] = [];
  let parameters = 0;
  for (let index = 0, count = reader.count(table, programFields.steps); index < count; index++) {
    const place = reader.tableAt(table, programFields.steps, index);
    const own = reader.texts(place, stepFields.parameters);
    const step = decodeStep(manifest, place, types.length, `${at}, step ${index}`);
    distinct(own, `${at}, step ${index}`);
    parameters += own.length;
    names.push(own);
    steps.push(step);
    types.push(step.type);
  }
  const outputs = reader.uints(table, programFields.outputs);
  for (let index = 0; index < outputs.length; index++) below(outputs[index]!, types.length, `${at}, outputs`);
  const counts: number[] = [];
  let calls: KernelCall[] | undefined;
  if (reader.byte(table, programFields.native) !== 0) {
    calls = [];
    for (let index = 0, count = reader.count(table, programFields.calls); index < count; index++) {
      const place = reader.tableAt(table, programFields.calls, index);
      calls.push(decodeCall(manifest, place, inputs.length, types, `${at}, call ${index}`));
      const own = reader.uint(place, callFields.parameters);
      parameters += own;
      counts.push(own);
    }
    checkCalls(calls, inputs.length, steps, outputs, at);
  }
  return { program, inputs, steps, outputs, calls, names, counts, parameters };
}

/** What a file says of a stage beside its program. */
export interface StageFacts {
  readonly key: string | undefined;
  readonly role: number;
  /** Of the steps in order, then of the calls. */
  readonly parameters: readonly ParameterId[];
}

const NO_PARAMETERS: Step['parameters'] = {};

/** A program with its parameters. Steps and calls without any are the program's own. @throws ERR_STORE_FORMAT */
export function decodeStage(
  { key, role, parameters }: StageFacts,
  program: StageProgram,
  at: () => string,
): PhysicalStage {
  if (parameters.length !== program.parameters) fault(at(), `${parameters.length} parameters`, `${program.parameters}`);
  let next = 0;
  const steps: Step[] = new Array(program.steps.length);
  for (let index = 0; index < steps.length; index++) {
    const step = program.steps[index]!;
    const own = program.names[index]!;
    steps[index] = own.length === 0 ? step : withParameters(step, own, parameters, next);
    next += own.length;
  }
  return {
    key: key === undefined || key === '' ? fault(at(), 'nothing', 'a name') : key,
    role: roles[role] ?? fault(at(), `role ${role}`),
    program: program.program,
    inputs: program.inputs,
    outputs: program.outputs,
    steps,
    calls: program.calls && callsOf(program.calls, program.counts, parameters, next),
  };
}

/** `next`: the first parameter that is the step's. */
function withParameters(step: Step, names: readonly string[], parameters: readonly ParameterId[], next: number): Step {
  const named: Record<string, ParameterId> = {};
  for (let place = 0; place < names.length; place++) named[names[place]!] = parameters[next + place]!;
  const { operator, version, attributes, inputs, type } = step;
  return { operator, version, attributes, parameters: named, inputs, type };
}

/** `next`: the first parameter that is a call's. */
function callsOf(
  shared: readonly KernelCall[],
  counts: readonly number[],
  parameters: readonly ParameterId[],
  next: number,
): KernelCall[] {
  const calls: KernelCall[] = new Array(shared.length);
  for (let index = 0, from = next; index < shared.length; from += counts[index++]!) {
    const call = shared[index]!;
    if (counts[index] === 0) {
      calls[index] = call;
      continue;
    }
    const { kernel, inputs, output, attributes, steps } = call;
    const own = parameters.slice(from, from + counts[index]!);
    calls[index] = { kernel, inputs, output, parameters: own, attributes, steps };
  }
  return calls;
}

/** `slot`: what it writes. */
function decodeStep(manifest: ManifestValues, table: number, slot: number, at: string): Step {
  const { reader } = manifest;
  const inputs = reader.uints(table, stepFields.inputs);
  for (let place = 0; place < inputs.length; place++) below(inputs[place]!, slot, at); // inputs and earlier steps
  return {
    operator: manifest.name(table, stepFields.operator, at),
    version: reader.uint(table, stepFields.version),
    attributes: manifest.attributes(table, stepFields.attributes, at),
    parameters: NO_PARAMETERS,
    inputs,
    type: manifest.type(table, stepFields.type, at),
  };
}

/** `types`: of the stage's inputs, of which there are `first`, then of its steps. */
function decodeCall(
  manifest: ManifestValues,
  table: number,
  first: number,
  types: readonly ValueType[],
  at: string,
): KernelCall {
  const { reader } = manifest;
  const output = below(reader.uint(table, callFields.output), types.length, at);
  if (output < first) fault(at, `output slot ${output}, an input`);
  const attributes = reader.doubles(table, callFields.attributes);
  if (!attributes.every(Number.isInteger)) fault(at, 'an attribute that is no integer');
  const inputs = reader.uints(table, callFields.inputs);
  for (let place = 0; place < inputs.length; place++) below(inputs[place]!, output, at);
  const steps = reader.uints(table, callFields.steps);
  for (let place = 0; place < steps.length; place++) below(steps[place]!, types.length - first, at);
  const kernel = manifest.name(table, callFields.kernel, at);
  if (kernel === 'alias') checkAlias(inputs, output, types, at);
  return { kernel, inputs, output, parameters: [], attributes, steps };
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
  const written = new Uint8Array(inputs + steps.length).fill(1, 0, inputs);
  for (let index = 0; index < calls.length; index++) {
    const call = calls[index]!;
    const wrong = (received: string) => fault(`${at}, call ${index}`, received);
    if (written[call.output]) wrong(`slot ${call.output} written twice`);
    if (!areWritten(call.inputs, written)) wrong('a slot that is read before it is written');
    checkSteps(call, inputs, steps, written, wrong);
    written[call.output] = 1;
  }
  if (!areWritten(outputs, written)) fault(at, 'an output that is never written');
}

/** The steps that a call stands for, one after another. */
function checkSteps(
  call: KernelCall,
  inputs: number,
  steps: readonly Step[],
  written: Uint8Array,
  wrong: (received: string) => never,
): void {
  if (call.steps.at(-1) !== call.output - inputs) wrong('steps that end elsewhere');
  if (call.steps.length === 1 && areWritten(steps[call.steps[0]!]!.inputs, written)) return;
  const own = written.slice();
  for (const step of call.steps) {
    if (!areWritten(steps[step]!.inputs, own)) wrong(`step ${step} without its inputs`);
    own[inputs + step] = 1;
  }
}

function areWritten(slots: readonly number[], written: Uint8Array): boolean {
  for (let place = 0; place < slots.length; place++) if (written[slots[place]!] !== 1) return false;
  return true;
}
