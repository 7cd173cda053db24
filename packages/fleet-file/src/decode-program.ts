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
import { throwFormatError } from './format-error.js';
import { vtableOffsets } from './manifest-reader.js';
import type { ManifestValues } from './manifest-values.js';
import { roles } from './numbering.js';
import { below, distinct } from './table-checks.js';

// Decodes the programs and stages of a manifest to plain data. This code runs once for each program
// and stage, often before V8 has compiled any code, so loops are plain. For a stage, the text that
// locates an error is built only when the error occurs. Operators check their attributes and
// parameter shapes (see `PlanChecks`).

const { Program: programFields, Step: stepFields, KernelCall: callFields } = vtableOffsets;

/**
 * The program of a stage: the stage without its key, role and parameters. Stages that differ only
 * in parameters share a program in the file.
 */
export type StageProgram = Omit<PhysicalStage, 'key' | 'role'> & {
  /** Names of the parameters of each step. */
  readonly names: readonly (readonly string[])[];
  /** Number of parameters of each kernel call. */
  readonly counts: readonly number[];
  /** Total number of parameters of the steps and kernel calls. */
  readonly parameters: number;
};

/**
 * Decodes the program of a stage from its table in the manifest.
 *
 * @throws ERR_STORE_FORMAT
 */
export function decodeProgram(manifest: ManifestValues, table: number, at: string): StageProgram {
  const { reader } = manifest;
  const program = manifest.name(table, programFields.checksum, at);
  const inputs = manifest.types(table, programFields.inputs, at);
  const types = [...inputs];
  const steps: Step[] = [];
  const names: (readonly string[])[] = [];
  let parameters = 0;
  for (let index = 0, count = reader.count(table, programFields.steps); index < count; index++) {
    const tableOffset = reader.tableAt(table, programFields.steps, index);
    const own = reader.texts(tableOffset, stepFields.parameters);
    const step = decodeStep(manifest, tableOffset, types.length, `${at}, step ${index}`);
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
      const tableOffset = reader.tableAt(table, programFields.calls, index);
      calls.push(decodeCall(manifest, tableOffset, inputs.length, types, `${at}, call ${index}`));
      const own = reader.uint(tableOffset, callFields.parameters);
      parameters += own;
      counts.push(own);
    }
    checkCalls(calls, inputs.length, steps, outputs, at);
  }
  return { program, inputs, steps, outputs, calls, names, counts, parameters };
}

/** The data that a fleet file stores for a stage in addition to the program of the stage. */
export interface StageFacts {
  readonly key: string | undefined;
  readonly role: number;
  /**
   * Parameter ids: first the parameters of the steps in order, then the parameters of the calls.
   */
  readonly parameters: readonly ParameterId[];
}

const NO_PARAMETERS: Step['parameters'] = {};

/**
 * Builds a stage from its program and the ids of its parameters. The stage and the program share
 * the steps and calls that have no parameters.
 *
 * @throws ERR_STORE_FORMAT
 */
export function decodeStage(
  { key, role, parameters }: StageFacts,
  program: StageProgram,
  at: () => string,
): PhysicalStage {
  if (parameters.length !== program.parameters)
    throwFormatError(at(), `${parameters.length} parameters`, `${program.parameters}`);
  let next = 0;
  const steps: Step[] = new Array(program.steps.length);
  for (let index = 0; index < steps.length; index++) {
    const step = program.steps[index]!;
    const own = program.names[index]!;
    steps[index] = own.length === 0 ? step : withParameters(step, own, parameters, next);
    next += own.length;
  }
  return {
    key: key === undefined || key === '' ? throwFormatError(at(), 'nothing', 'a name') : key,
    role: roles[role] ?? throwFormatError(at(), `role ${role}`),
    program: program.program,
    inputs: program.inputs,
    outputs: program.outputs,
    steps,
    calls: program.calls && callsOf(program.calls, program.counts, parameters, next),
  };
}

/** Returns a copy of a step with its parameters, which start at index `next` of `parameters`. */
function withParameters(step: Step, names: readonly string[], parameters: readonly ParameterId[], next: number): Step {
  const named: Record<string, ParameterId> = {};
  for (let index = 0; index < names.length; index++) named[names[index]!] = parameters[next + index]!;
  const { operator, version, attributes, inputs, type } = step;
  return { operator, version, attributes, parameters: named, inputs, type };
}

/** Returns the kernel calls with their parameters, which start at index `next` of `parameters`. */
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

/**
 * Decodes the step that writes `slot`. It throws if the step reads a slot that a later step writes.
 */
function decodeStep(manifest: ManifestValues, table: number, slot: number, at: string): Step {
  const { reader } = manifest;
  const inputs = reader.uints(table, stepFields.inputs);
  // the slot is an input or belongs to an earlier step
  for (let index = 0; index < inputs.length; index++) below(inputs[index]!, slot, at);
  return {
    operator: manifest.name(table, stepFields.operator, at),
    version: reader.uint(table, stepFields.version),
    attributes: manifest.attributes(table, stepFields.attributes, at),
    parameters: NO_PARAMETERS,
    inputs,
    type: manifest.type(table, stepFields.type, at),
  };
}

/**
 * Decodes a kernel call. `types` holds the types of all slots of the stage: first the types of its
 * `first` inputs, then the types of its steps.
 */
function decodeCall(
  manifest: ManifestValues,
  table: number,
  first: number,
  types: readonly ValueType[],
  at: string,
): KernelCall {
  const { reader } = manifest;
  const output = below(reader.uint(table, callFields.output), types.length, at);
  if (output < first) throwFormatError(at, `output slot ${output}, an input`);
  const attributes = reader.doubles(table, callFields.attributes);
  if (!attributes.every(Number.isInteger)) throwFormatError(at, 'an attribute that is not an integer');
  const inputs = reader.uints(table, callFields.inputs);
  for (let index = 0; index < inputs.length; index++) below(inputs[index]!, output, at);
  const steps = reader.uints(table, callFields.steps);
  for (let index = 0; index < steps.length; index++) below(steps[index]!, types.length - first, at);
  const kernel = manifest.name(table, callFields.kernel, at);
  if (kernel === 'alias') checkAlias(inputs, output, types, at);
  return { kernel, inputs, output, parameters: [], attributes, steps };
}

/**
 * Checks a call of the kernel `alias`. Its output uses the memory of its input, so both must have
 * the same element type, size and layout.
 */
function checkAlias(inputs: readonly number[], output: number, types: readonly ValueType[], at: string): void {
  const [from, to] = [types[inputs[0]!], types[output]!];
  const isAlike =
    inputs.length === 1 &&
    dtypeOf(from!) === dtypeOf(to) &&
    sizeOf(from!) === sizeOf(to) &&
    (from!.kind === 'sparse') === (to.kind === 'sparse');
  if (!isAlike)
    throwFormatError(at, `an alias of ${inputs.map((slot) => printType(types[slot]!)).join(' and ')}`, printType(to));
}

/**
 * Checks that no two calls write the same slot, that no slot is read before it is written, and that
 * calls read the slots of their steps. All must hold for engines that run the kernel of each call,
 * and for engines that run the steps of each call instead.
 */
function checkCalls(
  calls: readonly KernelCall[],
  inputs: number,
  steps: readonly Step[],
  outputs: readonly number[],
  at: string,
): void {
  const written = new Uint8Array(inputs + steps.length).fill(1, 0, inputs);
  const marks = new Int32Array(inputs + steps.length);
  for (let index = 0; index < calls.length; index++) {
    const call = calls[index]!;
    const wrong = (received: string) => throwFormatError(`${at}, call ${index}`, received);
    if (written[call.output]) wrong(`slot ${call.output} written twice`);
    if (!areWritten(call.inputs, written)) wrong('a slot that is read before it is written');
    checkSteps(call, inputs, steps, written, wrong);
    if (!readsAsSteps(call, inputs, steps, marks, 3 * index + 1)) wrong('other inputs than its steps read');
    written[call.output] = 1;
  }
  if (!areWritten(outputs, written)) throwFormatError(at, 'an output that is never written');
}

/**
 * Checks that the last step of a call writes the output of the call, and that each step reads only
 * slots that are already written.
 */
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

/**
 * Returns whether a call reads exactly the slots that its steps read, without the slots that its
 * steps write. Then an engine that runs the steps needs no other values than an engine that runs
 * the kernel.
 *
 * @param marks For each slot, a number of the last call that used it. Each call has three numbers
 * that no other call has: `call` (a step reads the slot), `call + 1` (a step writes the slot), and
 * `call + 2` (a step reads the slot, and the call too).
 */
function readsAsSteps(
  { inputs, steps: own }: KernelCall,
  first: number,
  steps: readonly Step[],
  marks: Int32Array,
  call: number,
): boolean {
  let missing = 0;
  for (let at = own.length - 1; at >= 0; at--) {
    const output = first + own[at]!;
    if (marks[output] === call) missing--; // a later step of the call reads it
    marks[output] = call + 1;
    const { inputs: slots } = steps[own[at]!]!;
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index]!;
      if (marks[slot] === call || marks[slot] === call + 1) continue;
      marks[slot] = call;
      missing++;
    }
  }
  for (let index = 0; index < inputs.length; index++) {
    const slot = inputs[index]!;
    if (marks[slot] === call) missing--;
    else if (marks[slot] !== call + 2) return false;
    marks[slot] = call + 2;
  }
  return missing === 0;
}

function areWritten(slots: readonly number[], written: Uint8Array): boolean {
  for (let index = 0; index < slots.length; index++) if (written[slots[index]!] !== 1) return false;
  return true;
}
