import { type Block, type InputPort, numbersIn, randomNumbers } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import { renumbered } from '../rows/row-errors.js';
import type { ScoreTarget } from './answer-target.js';
import type { Background, BackgroundOptions } from './background.js';
import type { Contribution } from './contribution-list.js';
import { explainError } from './errors.js';
import { type Field, fieldsOf, MixedRows } from './mixed-rows.js';
import { pairContributions, pairEvaluations } from './permutation-shap.js';
import { numberAt, type PlanValues, type RowBlocks } from './plan-values.js';

/** Options that select how a score is divided among the values of a row. */
export interface MethodOptions {
  /**
   * `exact` divides the score operator by operator. `sampled` estimates Shapley values of the
   * fields of the row, for any plan without black boxes: it computes the score of rows in which
   * some fields have their value in the row, and the others their value in a background row.
   * `sampled` needs the option `background`. Default: `exact`.
   */
  readonly method?: 'exact' | 'sampled' | undefined;
  /**
   * With `sampled`: the number of random orders of the fields for each background row, 2 to 10 000.
   * Default: 64 divided by the number of background rows, but at least 2.
   */
  readonly samples?: number | undefined;
  /**
   * With `sampled`: the seed of the random orders, an integer. The same seed gives the same
   * explanation of a row, alone and in a batch. Default 1.
   */
  readonly seed?: number | undefined;
}

/** How the contributions of a sampled explanation were computed. */
export interface Sampling {
  /** The number of random orders for each background row. */
  readonly samples: number;
  readonly seed: number;
  /** The number of rows for which the plan ran, besides the row and the background rows. */
  readonly evaluations: number;
}

/** The contributions of a row, as a sampled explanation estimates them. */
export interface SampledContributions {
  readonly base: number;
  readonly contributions: readonly Contribution[];
  readonly sampling: Sampling;
}

const MOST_SAMPLES = 10_000;
const DEFAULT_ORDERS = 64;
/**
 * The greatest number of rows for which the plan runs to explain one row. The calling thread is
 * blocked for this time.
 */
const MOST_EVALUATIONS = 2 ** 16;

/**
 * Checks the options of sampled explanations.
 * @throws ERR_RUNTIME_OPTION
 */
export function checkMethod(options: MethodOptions & BackgroundOptions): void {
  const { method = 'exact', samples, seed, background } = options;
  const fail = (expected: string, received: unknown, at: string) =>
    runtimeError('ERR_RUNTIME_OPTION', { expected, received: String(received), at });
  if (method !== 'exact' && method !== 'sampled') throw fail("'exact' or 'sampled'", method, 'method');
  if (seed !== undefined && method === 'exact') throw fail("seed with method: 'sampled'", seed, 'seed');
  if (samples !== undefined && method === 'exact') throw fail("samples with method: 'sampled'", samples, 'samples');
  if (samples !== undefined && !isInteger(samples, 2, MOST_SAMPLES))
    throw fail(`an integer from 2 to ${MOST_SAMPLES}`, samples, 'samples');
  if (seed !== undefined && !isInteger(seed, -(2 ** 31), 2 ** 32))
    throw fail(`an integer from ${-(2 ** 31)} to ${2 ** 32}`, seed, 'seed');
  if (method === 'sampled' && background === undefined)
    throw fail("method: 'sampled' with a background", 'no background', 'background');
}

const isInteger = (value: unknown, least: number, most: number) =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;

/** The row of a sampled explanation, and the score to explain. */
export interface SampledRow {
  readonly values: RowBlocks;
  readonly target: ScoreTarget;
  /** Index of the row in the request, for errors. */
  readonly row: number;
}

/**
 * Estimates the Shapley values of the fields of a row. A field is an input, or a number or text of
 * an input with several.
 *
 * @throws ERR_EXPLAIN_LIMIT if the plan would run for too many rows; ERR_FLOUR_BLACK_BOX for a plan
 * with a black box
 */
export function sampledContributions(
  plan: PlanValues,
  inputs: readonly InputPort[],
  background: Background,
  { values, target, row }: SampledRow,
  options: MethodOptions,
): SampledContributions {
  const { samples = Math.max(2, Math.ceil(DEFAULT_ORDERS / background.rows)), seed = 1 } = options;
  const blocks = inputs.map((_, input) => values.get(input)!);
  const fields = fieldsOf(inputs, blocks);
  const raw = numbersIn(values.get(target.value)!)(target.element);
  const pairs: MixedRows[] = [];
  let evaluations = 0;
  for (let other = 0; other < background.rows; other++) {
    const pair = new MixedRows(blocks, background.row(other), fields);
    pairs.push(pair);
    evaluations += pairEvaluations(pair.differing.length, samples);
    // The check is in the loop, because the pairs of wide rows take memory.
    if (evaluations > MOST_EVALUATIONS)
      throw explainError('ERR_EXPLAIN_LIMIT', {
        expected: `at most ${MOST_EVALUATIONS} runs of the plan for one row`,
        received: `more runs: ${fields.length} fields, ${background.rows} background rows, ${samples} samples`,
        hint: 'pass fewer background rows, or fewer samples',
      });
  }
  const random = randomNumbers(seed);
  const [sums, variances] = [new Float64Array(fields.length), new Float64Array(fields.length)];
  pairs.forEach((pair, other) => {
    const scores = (mixed: readonly Block[], rows: number) => scoresOf(plan, target, mixed, rows, row);
    const found = pairContributions(pair, { raw, other: background.scoreOf(target, other), samples, random, scores });
    pair.differing.forEach((field, at) => {
      sums[field]! += found.values[at]!;
      variances[field]! += found.variances[at]!;
    });
  });
  const contributions = fields
    .map((field, at) =>
      ofField(
        field,
        blocks[field.input]!,
        (target.sign * sums[at]!) / background.rows,
        Math.sqrt(variances[at]!) / background.rows,
      ),
    )
    .filter(({ value }) => value !== 0);
  return { base: target.sign * background.meanOf(target), contributions, sampling: { samples, seed, evaluations } };
}

/** Runs the plan for mixed rows, and returns the score of each row. */
function scoresOf(
  plan: PlanValues,
  { value, element }: ScoreTarget,
  mixed: readonly Block[],
  rows: number,
  row: number,
) {
  try {
    const computed = plan.run(mixed, { rows, first: 0 }, value);
    return Float64Array.from({ length: rows }, (_, at) => numberAt(computed, at, { value, element }));
  } catch (error) {
    throw renumbered(error, () => row);
  }
}

function ofField(
  { name, input: _, element, isVector }: Field,
  block: Block,
  value: number,
  error: number,
): Contribution {
  const index = isVector ? { index: element } : {};
  if (block.kind === 'strings') return { input: name, ...index, at: [0, block.values[element]!.length], value, error };
  const received = block.kind === 'dense' ? { received: Number(block.values[element]) } : {};
  return { input: name, ...index, value, ...received, error };
}
