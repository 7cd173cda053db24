import { type AnswerElement, type Block, type InputPort, numbersIn, type OutputPort } from '@brezel/core';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { answerFromBlocks } from '../answers/answers.js';
import {
  type AnswerElementChoice,
  chosenElement,
  chosenOutput,
  type ScoreTarget,
  scoreTarget,
} from './answer-target.js';
import { type Background, type BackgroundOptions, type BackgroundRows, backgroundOf } from './background.js';
import { type Contribution, listed } from './contribution-list.js';
import { type Dividing, divideShares, sharesOfScore } from './divide-score.js';
import { forEachRow } from './errors.js';
import { type InteractionMatrix, InteractionsOfRows } from './interactions.js';
import { byMagnitude } from './magnitude.js';
import { type PlanValues, type RowBlocks, type RowsOfRequest, rowOfValues } from './plan-values.js';
import { type ReasonOptions, type Reasons, reasonsOf } from './reasons.js';
import { type MethodOptions, type Sampling, sampledContributions } from './sampled.js';

/** Options that select the element of an answer to explain, and limit the list of contributions. */
export interface ExplanationChoice extends AnswerElementChoice, ReasonOptions, BackgroundOptions, MethodOptions {
  /**
   * The number of contributions to list. The list has the contributions with the greatest
   * magnitudes. Default: all contributions that are not 0.
   */
  readonly top?: number | undefined;
  /**
   * If true, the explanation also contains the interactions between the values of the row. The list
   * of contributions then also includes values whose contribution is 0 because their interactions
   * cancel out. Default: false.
   */
  readonly interactions?: boolean | undefined;
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
  /**
   * The part of the score that does not depend on the row, such as a bias or a mean. With a
   * background, the mean score of the background rows.
   */
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
  /**
   * If requested: the SHAP interaction values of the listed contributions, in the same order. The
   * values i and j together add a part to the score that neither adds alone. `interactions[i][j]`
   * and `interactions[j][i]` are half of this part each. `interactions[i][i]` is the part that
   * value i adds alone. If `top` omits nothing, row i adds up to contribution i.
   */
  readonly interactions?: readonly (readonly number[])[];
  /** If requested: the reasons for and against the explained class. */
  readonly reasons?: Reasons;
  /** In a sampled explanation: how the contributions were estimated. */
  readonly sampling?: Sampling;
}

/** The score of one row, with all computed values of the row. */
interface ExplainedScore {
  readonly values: RowBlocks;
  readonly target: ScoreTarget;
  readonly element: number;
}

/** The values of a plan for some rows, from which each element of an output can be explained. */
export interface ComputedAnswers {
  readonly values: PlanValues;
  readonly inputs: readonly InputPort[];
  readonly port: OutputPort;
  /** Number of the value that the output contains. */
  readonly output: number;
  readonly rows: readonly RowBlocks[];
  /** Index of the first row in the request. */
  readonly first: number;
  readonly background: Background | undefined;
}

/** Computes the answers to rows. Each block holds the values of one input for all rows. */
export function computeAnswers(
  { inputs, outputs }: Pick<ServedPlan, 'inputs' | 'outputs'>,
  values: PlanValues,
  blocks: readonly Block[],
  range: RowsOfRequest,
  choice: AnswerElementChoice,
  background: BackgroundRows | undefined,
): ComputedAnswers {
  const port = chosenOutput(outputs, choice);
  const output = values.outputs[outputs.indexOf(port)]!;
  const computed = values.run(blocks, range, output);
  const rows = Array.from({ length: range.rows }, (_, row) => rowOfValues(computed, row));
  const compared = background && backgroundOf(values, background, output);
  return { values, inputs, port, output, rows, first: range.first, background: compared };
}

/** Explains an element of computed answers. */
export function explainAnswers(answers: ComputedAnswers, parts: Dividing, options: ExplanationChoice): Contributions[] {
  const { values, port, output, rows, first } = answers;
  const rowOf = (row: number) => first + row;
  const scores: ExplainedScore[] = [];
  forEachRow(rows.length, rowOf, (row) => {
    const one = rows[row]!;
    const element = chosenElement(port, one.get(output)!, options);
    scores.push({ values: one, element, target: scoreTarget(values, parts.kernels, one, output, element) });
  });
  const partsOf =
    options.method === 'sampled'
      ? sampledParts(answers, scores, options)
      : dividedParts(answers, scores, parts, options);
  const explained: Contributions[] = [];
  forEachRow(rows.length, rowOf, (row) => {
    explained.push(explanation(port, output, scores[row]!, partsOf(row), options));
  });
  return explained;
}

/** The parts of a score, which add up to the score. */
interface PartsOfScore extends Pick<Contributions, 'base' | 'contributions' | 'sampling'> {
  readonly matrix?: InteractionMatrix | undefined;
}

/** Returns a function that estimates the parts of the score of a row. */
function sampledParts(
  { values, inputs, background, first }: ComputedAnswers,
  scores: readonly ExplainedScore[],
  options: ExplanationChoice,
): (row: number) => PartsOfScore {
  return (row) => sampledContributions(values, inputs, background!, { ...scores[row]!, row: first + row }, options);
}

/** Divides the scores of all rows, and returns a function that lists the parts of a row's score. */
function dividedParts(
  { values, inputs, background, first }: ComputedAnswers,
  scores: readonly ExplainedScore[],
  parts: Dividing,
  { interactions }: ExplanationChoice,
): (row: number) => PartsOfScore {
  const dividing = { ...parts, background };
  const starts = scores.map(({ values: own, target }, row) => {
    const mean = background?.meanOf(target) ?? 0;
    const shares = sharesOfScore(target, mean);
    return { values: own, value: target.value, shares, row: first + row, base: target.sign * mean };
  });
  const found = interactions ? new InteractionsOfRows(values, dividing, inputs) : undefined;
  const divided = divideShares(values, dividing, starts, found?.onDivided);
  return (row) => {
    const all = listed(inputs, scores[row]!.values, divided[row]!);
    const matrix = found?.ofRow(row, scores[row]!.values, all);
    return { base: divided[row]!.base, contributions: matrix?.contributions ?? all, matrix };
  };
}

function explanation(
  port: OutputPort,
  output: number,
  { values, element, target }: ExplainedScore,
  { base, contributions: all, matrix, sampling }: PartsOfScore,
  { top = Number.POSITIVE_INFINITY, reasons, texts }: ExplanationChoice,
): Contributions {
  const sorted = all.toSorted((a, b) => byMagnitude(a.value, b.value));
  const contributions = sorted.slice(0, top);
  return {
    ...explainedElement(port, values.get(output)!, element),
    raw: target.sign * numbersIn(values.get(target.value)!)(target.element),
    base,
    link: target.links.length === 0 ? 'identity' : target.links.join(', '),
    rest: sorted.slice(top).reduce((sum, { value }) => sum + value, 0),
    contributions,
    ...(matrix && { interactions: matrix.among(contributions) }),
    ...(reasons !== undefined && { reasons: reasonsOf(sorted, reasons, texts) }),
    ...(sampling && { sampling }),
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
