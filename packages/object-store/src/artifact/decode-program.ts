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
import { decodeAttributes } from './attributes.js';
import { decodeType } from './decode-type.js';
import { fault } from './fault.js';
import type { KernelCallT } from './generated/kernel-call.js';
import type { ProgramT } from './generated/program.js';
import type { StepT } from './generated/step.js';
import { roles } from './numbering.js';
import { below, distinct, text } from './table-checks.js';

// Programs of the manifest → stages. Slots are written before they are read; what only operators know (attributes, parameter shapes) is checked by who
// knows them.

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
