import { type AnswerElement, type Block, numbersIn, type OutputPort } from '@brezel/core';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { answerFromBlocks } from '../answers.js';
import { type AnswerElementChoice, chosenElement, chosenOutput, scoreTarget } from './answer-target.js';
import { type Contribution, contributionsOf } from './contribution-list.js';
import { type DividedScore, type Dividing, divideScores, type ScoreOfRow } from './divide-score.js';
import { type PlanValues, type RowsOfRequest, rowOfValues } from './plan-values.js';

/** Selects the element of an answer, and limits the list of contributions. */
export interface ExplanationChoice extends AnswerElementChoice {
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

interface ExplainedScore extends ScoreOfRow {
  readonly element: number;
}

/** Explains the answers to rows. Each block holds one input of all rows. */
export function explainBlocks(
  plan: Pick<ServedPlan, 'inputs' | 'outputs'>,
  values: PlanValues,
  dividing: Dividing,
  blocks: readonly Block[],
  range: RowsOfRequest,
  options: ExplanationChoice,
): Contributions[] {
  const port = chosenOutput(plan.outputs, options);
  const output = values.outputs[plan.outputs.indexOf(port)]!;
  const computed = values.run(blocks, range, output);
  const scores = Array.from({ length: range.rows }, (_, row): ExplainedScore => {
    const one = rowOfValues(computed, row);
    const element = chosenElement(port, one.get(output)!, options);
    return { values: one, element, target: scoreTarget(values, dividing.kernels, one, output, element) };
  });
  const divided = divideScores(values, dividing, scores);
  return scores.map((score, row) => explanation(plan, port, output, score, divided[row]!, options));
}

function explanation(
  plan: Pick<ServedPlan, 'inputs'>,
  port: OutputPort,
  output: number,
  { values, element, target }: ExplainedScore,
  { base, inputs }: DividedScore,
  { top = Number.POSITIVE_INFINITY }: ExplanationChoice,
): Contributions {
  const all = Array.from(inputs, ([input, shares]) =>
    contributionsOf(plan.inputs[input]!, values.get(input)!, shares),
  ).flat();
  all.sort(byMagnitude);
  return {
    ...explainedElement(port, values.get(output)!, element),
    raw: target.sign * numbersIn(values.get(target.value)!)(target.element),
    base,
    link: target.links.length === 0 ? 'identity' : target.links.join(', '),
    rest: all.slice(top).reduce((sum, { value }) => sum + value, 0),
    contributions: all.slice(0, top),
  };
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
