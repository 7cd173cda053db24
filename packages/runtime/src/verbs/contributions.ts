import { type KernelTable, optionNames, type TensorKernels } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { runtimeError } from '../errors.js';
import { type BackgroundRows, backgroundRows } from '../execute/contributions/background.js';
import { explainError } from '../execute/contributions/errors.js';
import {
  type ComputedAnswers,
  type Contributions,
  computeAnswers,
  type ExplanationChoice,
  explainAnswers,
} from '../execute/contributions/explain-rows.js';
import { PlanValues } from '../execute/contributions/plan-values.js';
import { checkReasons } from '../execute/contributions/reasons.js';
import { checkMethod } from '../execute/contributions/sampled.js';
import { CopiedRows } from '../execute/rows/copied-rows.js';
import { inputBlock } from '../execute/rows/input-blocks.js';
import { checkArray } from '../execute/rows/row-errors.js';
import { admit, type Row } from '../execute/rows/row-schema.js';
import { inSlices } from '../execute/slices.js';
import { type CallLimits, type CallOptions, callLimits } from '../features/admission/call-limits.js';
import type { QueuePlace } from '../features/admission/queue.js';
import { checkRuntimeOptions } from '../option-names.js';
import { isolatedError } from '../parallel/isolated/isolated-plan.js';
import { checkStages } from '../plans/check-plan.js';
import type { PlanRecord } from '../plans/plan-record.js';
import { checkServed, type RegisteredPlan, type ServedPlan } from '../plans/registered-plan.js';
import { inQueue } from './in-queue.js';
import { type Serving, watchOf } from './serving.js';

/**
 * Options of `contributions`: the element of an answer to explain, the number of contributions to
 * list, and the background rows.
 */
export interface ContributionOptions extends ExplanationChoice {}

/** Options of `contributionsBatch`. */
export interface ContributionBatchOptions extends ContributionOptions, CallOptions {}

/** The names of the options of `contributions`. */
export const contributionOptionNames = optionNames<ContributionOptions>({
  output: true,
  class: true,
  top: true,
  interactions: true,
  reasons: true,
  texts: true,
  background: true,
  method: true,
  samples: true,
  seed: true,
});
const batchOptionNames = optionNames<ContributionBatchOptions>({
  ...{ output: true, class: true, top: true, interactions: true, reasons: true, texts: true, background: true },
  ...{ method: true, samples: true, seed: true },
  ...{ deadlineMs: true, signal: true },
});

/** The parts of a runtime that explanations use. */
export interface Explaining {
  readonly kernels: KernelTable;
  readonly tensorKernels: TensorKernels | undefined;
  readonly store: ObjectStore;
}

/**
 * Caches the `PlanValues` of each plan, which hold decoded parameters. An entry is freed together
 * with its plan.
 */
const known = new WeakMap<ServedPlan, PlanValues>();

/** Implements `runtime.contributions`. */
export function explainRow(
  serving: Serving,
  explaining: Explaining,
  plan: RegisteredPlan,
  row: Row,
  options: ContributionOptions,
): Contributions {
  checkRuntimeOptions(options, contributionOptionNames, 'contributions');
  const record = explainableRecord(serving, plan, options, 'contributions');
  const background = backgroundRows(record, options);
  const answers = admittedAnswers(record, explaining, { rows: [row], first: 0, choice: options, background });
  return explainAnswers(answers, explaining, options)[0]!;
}

/**
 * A batch explains at most this many rows together. The native kernel explains 8 rows at a time.
 */
const BLOCK_ROWS = 16;
/**
 * Explaining a row in a block is assumed to be this many times as fast as explaining a single row.
 */
const LANES = 4;
/** After the first row, blocks have as many rows as should take at most this many milliseconds. */
const BLOCK_MS = 8;

/**
 * The largest number of interaction values in the results of one `contributionsBatch` call. They
 * take 128 MiB. A call that needs more fails with ERR_EXPLAIN_LIMIT.
 */
const MAX_INTERACTIONS = 2 ** 24;
/**
 * The largest number of places of n-grams in the results of one `contributionsBatch` call. They
 * take about 64 MiB. A call that needs more fails with ERR_EXPLAIN_LIMIT.
 */
const MAX_PLACES = 2 ** 20;

/** Implements `runtime.contributionsBatch`. */
export async function explainBatch(
  serving: Serving,
  explaining: Explaining,
  plan: RegisteredPlan,
  rows: readonly Row[],
  options: ContributionBatchOptions,
): Promise<Contributions[]> {
  checkRuntimeOptions(options, batchOptionNames, 'contributionsBatch');
  const record = explainableRecord(serving, plan, options, 'contributionsBatch');
  checkArray(rows, 'rows', record.name);
  const limits = callLimits(record.name, options, serving.clock);
  return inQueue(serving, record, rows.length, async (place) => {
    const background = backgroundRows(record, options);
    return explainRows(serving, explaining, record, rows, { choice: options, limits, first: 0, background, place });
  });
}

/** What to explain about the rows of a call, and for how long. */
export interface ExplainedRows {
  readonly choice: ContributionOptions;
  readonly limits: CallLimits | undefined;
  /** Index of the first row in the request, for errors. */
  readonly first: number;
  readonly background: BackgroundRows | undefined;
  /** The call's place in the queue, if the bytes of the rows are not counted yet. */
  readonly place?: QueuePlace;
}

/** Explains the answers to rows, in slices on the calling thread. */
export async function explainRows(
  serving: Serving,
  explaining: Explaining,
  record: PlanRecord,
  rows: readonly Row[],
  { choice, ...call }: ExplainedRows,
): Promise<Contributions[]> {
  const explained: Contributions[] = [];
  let [numbers, places] = [0, 0];
  await explainChoices(serving, explaining, record, rows, { choices: [choice], ...call }, (whys) => {
    for (const one of whys) {
      numbers += (one.interactions?.length ?? 0) ** 2;
      places += one.contributions.reduce((sum, each) => sum + (each.places?.length ?? 0), 0);
      explained.push(one);
    }
    if (numbers > MAX_INTERACTIONS)
      throw explainError('ERR_EXPLAIN_LIMIT', {
        expected: `at most ${MAX_INTERACTIONS} interactions in the answers of a batch`,
        received: `${numbers} in the first ${explained.length} rows`,
        at: record.name,
      });
    if (places > MAX_PLACES)
      throw explainError('ERR_EXPLAIN_LIMIT', {
        expected: `at most ${MAX_PLACES} places of n-grams in the answers of a batch`,
        received: `${places} in the first ${explained.length} rows`,
        at: record.name,
      });
  });
  return explained;
}

/** The elements of one output to explain. */
export interface ExplainedChoices extends Omit<ExplainedRows, 'choice'> {
  readonly choices: readonly ContributionOptions[];
}

/**
 * Explains several elements of the same output, in slices on the calling thread. The plan runs once
 * for each row.
 *
 * @param take receives the explanations of the next rows for `choices[choice]`
 */
export async function explainChoices(
  serving: Serving,
  explaining: Explaining,
  record: PlanRecord,
  rows: readonly Row[],
  { choices, limits, first, background, place }: ExplainedChoices,
  take: (whys: readonly Contributions[], choice: number) => void,
): Promise<void> {
  const watch = watchOf(() => serving.live.checkThere(record), limits, rows.length);
  const copies = new CopiedRows(rows, first);
  if (copies.length === 0 || choices.length === 0) return;
  let [explained, blockRows] = [0, 1];
  let answers: ComputedAnswers | undefined;
  const explainNext = (choice: number) => {
    watch.check(explained);
    answers ??= admittedAnswers(record, explaining, {
      rows: copies.slice(explained, explained + blockRows),
      first: first + explained,
      choice: choices[choice]!,
      background,
      place,
    });
    take(explainAnswers(answers, explaining, choices[choice]!), choice);
    if (choice < choices.length - 1) return;
    explained += answers.rows.length;
    answers = undefined;
  };
  const start = serving.clock.now();
  explainNext(0);
  const rowMs = serving.clock.now() - start;
  blockRows = Math.max(1, Math.min(BLOCK_ROWS, Math.floor(BLOCK_MS / rowMs)));
  const blocks = 1 + Math.ceil((copies.length - 1) / blockRows);
  await inSlices(serving.clock, blocks * choices.length - 1, (rowMs * blockRows * 1e6) / LANES, (from, to) => {
    for (let at = from + 1; at <= to; at++) explainNext(at % choices.length);
  });
}

/**
 * Returns the record of a plan that can be explained in this thread.
 * @throws ERR_RUNTIME_OPTION for an invalid option; ERR_RUNTIME_ISOLATED
 */
export function explainableRecord(
  { live }: Serving,
  plan: RegisteredPlan,
  { top = Number.POSITIVE_INFINITY, interactions = false, ...rest }: ContributionOptions,
  method: string,
): PlanRecord {
  if (!(top >= 0 && (Number.isInteger(top) || top === Number.POSITIVE_INFINITY)))
    throw runtimeError('ERR_RUNTIME_OPTION', { expected: 'an integer from 0', received: String(top), at: 'top' });
  if (typeof interactions !== 'boolean')
    throw runtimeError('ERR_RUNTIME_OPTION', {
      expected: 'true or false',
      received: String(interactions),
      at: 'interactions',
    });
  if (interactions && rest.background !== undefined)
    throw runtimeError('ERR_RUNTIME_OPTION', {
      expected: 'interactions without a background',
      received: 'interactions: true and background',
      at: method,
    });
  checkMethod(rest);
  const record = live.record(plan);
  checkReasons(rest, record.inputs);
  if (record.isolated !== undefined) throw isolatedError(record, method);
  return record;
}

/** Some rows to explain. */
interface RowsToExplain extends Pick<ExplainedRows, 'choice' | 'first' | 'background'> {
  readonly rows: readonly Row[];
  readonly place?: QueuePlace | undefined;
}

/** Checks rows and then computes their answers. */
function admittedAnswers(
  record: PlanRecord,
  explaining: Explaining,
  { rows, first, choice, background, place }: RowsToExplain,
): ComputedAnswers {
  const columns = admit(record, rows, first);
  place?.add(columns);
  checkServed(record);
  const blocks = record.inputs.map((input, at) =>
    inputBlock(input, columns[at]!, rows.length, record.maxInputBytes, first),
  );
  const range = { rows: rows.length, first };
  return computeAnswers(record, valuesOf(record, explaining), blocks, range, choice, background);
}

function valuesOf(plan: ServedPlan, { kernels, store }: Explaining): PlanValues {
  let values = known.get(plan);
  if (values === undefined) {
    checkStages(kernels, plan.compiled);
    values = new PlanValues(plan, kernels, store);
    known.set(plan, values);
  }
  return values;
}
