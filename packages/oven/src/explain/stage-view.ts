import type { Attributes, KernelCall, PhysicalStage, Step } from '@brezel/core';
import { printType } from '@brezel/core';
import { findOperator } from '@brezel/flour';
import type { ObjectStore } from '@brezel/object-store';
import { fusedParameters } from '../compile/select-kernel.js';
import { summarize } from './summarize.js';

/** The printable form of an operator in a stage. */
export interface StepView {
  /** Name of the operator's result, for example `s1.2`. */
  readonly value: string;
  readonly operator: string;
  /** Names of the values that the operator reads. */
  readonly inputs: readonly string[];
  /** A few words that distinguish this use of the operator from other uses, or an empty text. */
  readonly summary: string;
  readonly attributes: Attributes;
  readonly type: string;
  /**
   * Index in `kernels` of the kernel that runs the operator. Undefined if the operator needs no
   * kernel, or if JavaScript runs the stage.
   */
  readonly kernel?: number;
}

export interface ParameterView {
  readonly id: string;
  /**
   * The operator and the name of the parameter, such as `linear.bias`. If Oven has derived the
   * parameter for a kernel, the kernel and a description, such as `text_ngram: dictionary`.
   */
  readonly name: string;
  readonly bytes: number;
}

/** The printable form of one stage, for text, JSON and pictures. */
export interface StageView {
  readonly number: number;
  readonly role: PhysicalStage['role'];
  /**
   * The first digits of the stage's key. A stage that several plans share shows the same digits in
   * all of them.
   */
  readonly key: string;
  readonly engine: 'native' | 'wasm' | 'javascript';
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly steps: readonly StepView[];
  /** Kernels in the order in which they run. */
  readonly kernels: readonly string[];
  readonly parameters: readonly ParameterView[];
  readonly parameterBytes: number;
}

const SHOWN_KEY_DIGITS = 8;

/**
 * Returns the printable form of a stage.
 *
 * @param names names of the stage's inputs in the plan.
 * @param prefix starts the names of the stage's values, so that they are unique in the plan.
 */
export function viewStage(
  stage: PhysicalStage,
  number: number,
  names: readonly string[],
  prefix: string,
  store: ObjectStore,
): StageView {
  const name = (slot: number) => names[slot] ?? `${prefix}${slot - stage.inputs.length + 1}`;
  const calls = (stage.calls ?? []).filter((call) => call.kernel !== 'alias');
  const kernels = kernelsOfSteps(calls);
  const steps = stage.steps.map((step, index): StepView => {
    const kernel = kernels.get(index);
    return {
      value: name(stage.inputs.length + index),
      operator: step.operator,
      inputs: step.inputs.map(name),
      summary: summaryOf(step, store),
      attributes: step.attributes,
      type: printType(step.type),
      ...(kernel !== undefined && { kernel }),
    };
  });
  const parameters = parametersOf(stage.steps, calls, store);
  return {
    number,
    role: stage.role,
    key: stage.key.slice(0, SHOWN_KEY_DIGITS),
    engine: stage.calls === undefined ? 'javascript' : 'native',
    inputs: stage.inputs.map((_, slot) => name(slot)),
    outputs: stage.outputs.map(name),
    steps,
    kernels: calls.map((call) => call.kernel),
    parameters,
    parameterBytes: parameters.reduce((sum, parameter) => sum + parameter.bytes, 0),
  };
}

/** Maps the index of each step to the index of the first kernel call that runs the step. */
function kernelsOfSteps(calls: readonly KernelCall[]): ReadonlyMap<number, number> {
  const kernels = new Map<number, number>();
  for (const [kernel, { steps }] of calls.entries())
    for (const step of steps) if (!kernels.has(step)) kernels.set(step, kernel);
  return kernels;
}

/**
 * Returns each parameter once, under the name of its first use. Parameters of operators come before
 * parameters of kernels, because kernels mostly read parameters of operators.
 */
function parametersOf(steps: readonly Step[], calls: readonly KernelCall[], store: ObjectStore): ParameterView[] {
  const named = [
    ...steps.flatMap((step) => Object.entries(step.parameters).map(([key, id]) => [id, `${step.operator}.${key}`])),
    ...calls.flatMap(({ kernel, parameters }) => {
      const names = fusedParameters.get(kernel);
      return parameters.map((id, index) => [id, `${kernel}: ${names?.[index] ?? `parameter ${index}`}`]);
    }),
  ] as [string, string][];
  const first = new Map([...named].reverse());
  return [...new Set(named.map(([id]) => id))].map((id) => ({ id, name: first.get(id)!, bytes: store.info(id).bytes }));
}

function summaryOf({ operator, version, attributes, parameters }: Step, store: ObjectStore): string {
  const shapes = Object.entries(parameters).map(([name, id]) => {
    const { dtype, shape } = store.info(id);
    return [name, { dtype: dtype as Exclude<typeof dtype, 'blob'>, shape }];
  });
  return summarize(findOperator(operator, version), attributes, Object.fromEntries(shapes));
}
