import {
  type AnswerElement,
  type Block,
  type KernelTable,
  numbersIn,
  type OutputPort,
  optionNames,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { runtimeError } from '../errors.js';
import { answerFromBlocks } from '../execute/answers.js';
import {
  type AnswerElementChoice,
  chosenElement,
  chosenOutput,
  scoreTarget,
} from '../execute/contributions/answer-target.js';
import { type Contribution, contributionsOf } from '../execute/contributions/contribution-list.js';
import { divideScore } from '../execute/contributions/divide-score.js';
import { PlanValues } from '../execute/contributions/plan-values.js';
import { inputBlock } from '../execute/input-blocks.js';
import { admit, type Row } from '../execute/row-schema.js';
import { checkRuntimeOptions } from '../option-names.js';
import { isolatedError } from '../parallel/isolated/isolated-plan.js';
import { checkStages } from '../plans/check-plan.js';
import { checkServed, type RegisteredPlan, type ServedPlan } from '../plans/registered-plan.js';
import type { Serving } from './serving.js';

/**
 * Options of `contributions`: the element of an answer to explain, and the number of contributions
 * to list.
 */
export interface ContributionOptions extends AnswerElementChoice {
  /**
   * Lists only this many contributions, the greatest by magnitude. Default: all that are not
   * 0.
   */
  readonly top?: number | undefined;
}

/** The explanation of an answer. The sum of `base`, `rest` and all contributions is `raw`. */
export interface Contributions {
  /** Name of the explained output. */
  readonly output: string;
  /** Index of the explained element, or the key of a map. Absent if the output has one element. */
  readonly class?: number | string;
  /** The explained element of the answer. */
  readonly answer: AnswerElement;
  /** The score from which the answer is computed, before the link function. */
  readonly raw: number;
  /** The part of the score that does not depend on the row, such as a bias or a mean. */
  readonly base: number;
  /**
   * The functions between the score and the answer: `logit`, `softmax`, `log`, or `identity` if the
   * score is the answer.
   */
  readonly link: string;
  /** The sum of the contributions that `top` omits. */
  readonly rest: number;
  /** The contributions, the greatest by magnitude first. */
  readonly contributions: readonly Contribution[];
}

const contributionOptionNames = optionNames<ContributionOptions>({ output: true, class: true, top: true });

/** The parts of a runtime that explanations use. */
export interface Explaining {
  readonly kernels: KernelTable;
  readonly store: ObjectStore;
}

/**
 * The values of each plan with their decoded parameters. An entry is freed together with its plan.
 */
const known = new WeakMap<ServedPlan, PlanValues>();

/** Implements `runtime.contributions`. */
export function explainRow(
  { live }: Serving,
  { kernels, store }: Explaining,
  plan: RegisteredPlan,
  row: Row,
  options: ContributionOptions,
): Contributions {
  checkRuntimeOptions(options, contributionOptionNames, 'contributions');
  const { top = Number.POSITIVE_INFINITY } = options;
  if (!(top >= 0 && (Number.isInteger(top) || top === Number.POSITIVE_INFINITY)))
    throw runtimeError('ERR_RUNTIME_OPTION', { expected: 'an integer from 0', received: String(top), at: 'top' });
  const record = live.record(plan);
  if (record.isolated !== undefined) throw isolatedError(record, 'contributions');
  const port = chosenOutput(record.outputs, options);
  const columns = admit(record, [row]);
  checkServed(record);
  const blocks = record.inputs.map((input, at) => inputBlock(input, columns[at]!, 1, record.maxInputBytes));
  const values = valuesOf(record, kernels, store);
  const output = values.outputs[record.outputs.indexOf(port)]!;
  const computed = values.run(blocks, output);
  const element = chosenElement(port, computed.get(output)!, options);
  const target = scoreTarget(values, kernels, computed, output, element);
  const { base, inputs } = divideScore(values, kernels, computed, target);
  const all = Array.from(inputs, ([input, shares]) =>
    contributionsOf(record.inputs[input]!, blocks[input]!, shares),
  ).flat();
  all.sort(byMagnitude);
  return {
    ...explainedElement(port, computed.get(output)!, element),
    raw: target.sign * numbersIn(computed.get(target.value)!)(target.element),
    base,
    link: target.links.length === 0 ? 'identity' : target.links.join(', '),
    rest: all.slice(top).reduce((sum, { value }) => sum + value, 0),
    contributions: all.slice(0, top),
  };
}

function valuesOf(plan: ServedPlan, kernels: KernelTable, store: ObjectStore): PlanValues {
  let values = known.get(plan);
  if (values === undefined) {
    checkStages(kernels, plan.compiled);
    values = new PlanValues(plan, kernels, store);
    known.set(plan, values);
  }
  return values;
}

function explainedElement(
  port: OutputPort,
  block: Block,
  element: number,
): Pick<Contributions, 'output' | 'class' | 'answer'> {
  const answer = answerFromBlocks([port], [block], 0)[port.name]!;
  if (port.type.kind === 'scalar' || port.length === 1) {
    const only = Array.isArray(answer) ? (answer[0] as AnswerElement) : (answer as AnswerElement);
    return { output: port.name, answer: only };
  }
  const one = port.type.kind === 'map' ? port.type.keys[element]! : element;
  const elements = answer as Readonly<Record<number | string, AnswerElement>>;
  return { output: port.name, class: one, answer: elements[one]! };
}

/**
 * Orders contributions by magnitude, the greatest first and NaN before all others. Two infinite
 * contributions are equal.
 */
const byMagnitude = (a: Contribution, b: Contribution): number => magnitude(b) - magnitude(a) || 0;

const magnitude = ({ value }: Contribution) => (Number.isNaN(value) ? Number.POSITIVE_INFINITY : Math.abs(value));
