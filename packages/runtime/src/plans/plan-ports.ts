import { type CompiledPlan, dtypeOf, type InputPort, type KernelTable, type OutputPort } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { inputsWithMissing } from './missing-inputs.js';
import type { Pieces } from './pieces.js';

/** Options for the numbers in the answers of a plan. */
export interface AnswerOptions {
  /**
   * How answers contain float32 numbers. `exact` (the default): the exact value of the float32, so
   * that 0.1 prints as 0.10000000149011612. `short`: the number with the fewest decimals that
   * rounds to the same float32, here 0.1. Out-arrays always contain exact values.
   */
  readonly float32?: 'exact' | 'short' | undefined;
}

/** Options for the rows that a plan accepts and for the form of its answers. */
export interface RowOptions {
  /**
   * Whether rows may have missing values. `refuse` (the default): null or a missing field is an
   * error. `accept`: null, "NaN" or a missing field means NaN, for float inputs that an imputer or
   * a tree with learned missing values reads. In `plan.inputs`, these inputs have the field
   * `missing`.
   */
  readonly missing?: 'accept' | 'refuse' | undefined;
  /**
   * Whether rows may have unknown fields. `refuse` (the default): such a row is an error. `ignore`:
   * the field is not read.
   */
  readonly extraFields?: 'refuse' | 'ignore' | undefined;
  readonly answers?: AnswerOptions | undefined;
}

/** The inputs and outputs of a registered plan, with the options of its rows and answers. */
export interface PlanPorts {
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  readonly ignoresExtraFields: boolean;
}

/**
 * Returns the inputs and outputs of a plan with these options. The caller has already checked the
 * options.
 */
export function* planPorts(
  compiled: CompiledPlan,
  { missing, extraFields, answers }: RowOptions,
  kernels: KernelTable,
  store: ObjectStore,
): Pieces<PlanPorts> {
  const { inputs, outputs } = compiled;
  return {
    inputs: missing === 'accept' ? yield* inputsWithMissing(compiled, kernels, store) : inputs,
    outputs: answers?.float32 === 'short' ? outputs.map(shortened) : outputs,
    ignoresExtraFields: extraFields === 'ignore',
  };
}

const shortened = (port: OutputPort): OutputPort =>
  port.type.kind !== 'dictionary' && port.type.kind !== 'tokens' && dtypeOf(port.type) === 'float32'
    ? { ...port, short: true }
    : port;
