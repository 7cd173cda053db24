import type { OptionNames } from '@brezel/core';
import { runtimeError } from '../errors.js';
import type { Answer } from '../execute/answers.js';
import type { Contributions } from '../execute/contributions/explain-rows.js';
import { CopiedRows } from '../execute/copied-rows.js';
import { ownRow, ownRows } from '../execute/own-rows.js';
import type { Row } from '../execute/row-schema.js';
import { type CallLimits, callLimits } from '../features/admission/call-limits.js';
import {
  answerStream,
  checkStream,
  type RowSource,
  type StreamOptions,
  streamOptionNames,
} from '../features/stream/answer-stream.js';
import { checkRuntimeOptions } from '../option-names.js';
import type { PlanRecord } from '../plans/plan-record.js';
import type { RegisteredPlan } from '../plans/registered-plan.js';
import { batchOptionNames, predictRows, type RowBatchOptions } from './batch.js';
import {
  type ContributionOptions,
  contributionOptionNames,
  type Explaining,
  explainableRecord,
  explainRows,
} from './contributions.js';
import { type Serving, watchOf } from './serving.js';
import { type PredictOptions, predictOneLater, predictOptionNames } from './single-row.js';
import { rowAnswers } from './stream.js';

/**
 * The option that adds an explanation to each answer. The call then returns `ExplainedAnswer`s
 * instead of answers. The values of each row are read once, so an answer and its explanation always
 * describe the same values.
 */
export interface WithContributions {
  /**
   * True, or the options of `Runtime.contributions`: the output and the class to explain, and how
   * many contributions to list.
   */
  readonly contributions: true | ContributionOptions;
}

/** An answer, and what each value of the row adds to the score behind the answer. */
export interface ExplainedAnswer<A = Answer> {
  /** The answer with the same bits as without an explanation. */
  readonly answer: A;
  readonly contributions: Contributions;
}

/** Returns whether the caller of a prediction wants explanations. */
export const wantsContributions = <Options extends object>(
  options: Options,
): options is Options & WithContributions => {
  const wanted = (options as Partial<WithContributions> | null)?.contributions as unknown;
  return wanted !== undefined && wanted !== false;
};

/** The options of a call with explanations, after their names were checked. */
type Explained<Options> = Omit<Options, 'contributions'> & WithContributions;

/** Implements `runtime.predict` with the option `contributions`. */
export async function predictOneExplained(
  serving: Serving,
  explaining: Explaining,
  plan: RegisteredPlan,
  row: Row,
  options: Explained<PredictOptions>,
): Promise<ExplainedAnswer> {
  const { contributions, ...rest } = checkedOptions(options, predictOptionNames, 'predict');
  const { record, explain } = explainer(serving, explaining, plan, contributions, 'predict');
  const limits = callLimits(plan.name, rest, serving.clock);
  const own = ownRow(record, row, 0);
  const answer = await predictOneLater(serving, plan, own, rest);
  const [why] = await explain([own], limits, 0);
  return { answer, contributions: why! };
}

/** Implements `runtime.predictBatch` with the option `contributions`. */
export async function predictRowsExplained(
  serving: Serving,
  explaining: Explaining,
  plan: RegisteredPlan,
  rows: readonly Row[],
  options: Explained<RowBatchOptions>,
): Promise<ExplainedAnswer[]> {
  const { contributions, ...rest } = checkedOptions(options, batchOptionNames, 'predictBatch');
  const { explain, read } = explainer(serving, explaining, plan, contributions, 'predictBatch');
  if (!Array.isArray(rows)) throw runtimeError('ERR_RUNTIME_INPUT', { expected: 'an array of rows', at: plan.name });
  const copies = new CopiedRows(rows);
  const limits = callLimits(plan.name, rest, serving.clock);
  const own = await read(copies.slice(0, copies.length), limits, 0);
  return together(await predictRows(serving, plan, own, rest), await explain(own, limits, 0));
}

/** Implements `runtime.predictStream` with the option `contributions`. */
export function predictStreamExplained(
  serving: Serving,
  explaining: Explaining,
  plan: RegisteredPlan,
  rows: RowSource,
  options: Explained<StreamOptions>,
): AsyncGenerator<ExplainedAnswer, void, undefined> {
  const { contributions, ...rest } = checkedOptions(options, streamOptionNames, 'predictStream');
  const { explain, read } = explainer(serving, explaining, plan, contributions, 'predictStream');
  checkStream(plan.name, rows, rest);
  const limits = callLimits(plan.name, { signal: rest.signal }, serving.clock);
  const answersOf = rowAnswers(serving, plan, limits);
  return answerStream(rows, rest, async (block, first) => {
    const own = await read(block, limits, first);
    return together(await answersOf(own, first), await explain(own, limits, first));
  });
}

const together = (answers: readonly Answer[], whys: readonly Contributions[]): ExplainedAnswer[] =>
  answers.map((answer, row) => ({ answer, contributions: whys[row]! }));

/**
 * Checks the names of the options before any row runs.
 * @throws ERR_RUNTIME_OPTION
 */
function checkedOptions<Options extends WithContributions>(options: Options, names: OptionNames, verb: string) {
  checkRuntimeOptions(options, { ...names, contributions: contributionOptionNames }, verb);
  const wanted: unknown = options.contributions;
  if (wanted === true || (typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted))) return options;
  throw runtimeError('ERR_RUNTIME_OPTION', {
    expected: 'true, or an object with the options of contributions',
    received: Array.isArray(wanted) ? 'an array' : String(wanted),
    at: `${verb}, contributions`,
  });
}

/** Works on rows of a call. `first` is the index of the first row in the request. */
type OfRows<Result> = (rows: readonly Row[], limits: CallLimits | undefined, first: number) => Promise<Result[]>;

/** The plan of a call with explanations, and the functions for its rows. */
interface Explainer {
  readonly record: PlanRecord;
  /** Copies the values of rows. */
  readonly read: OfRows<Row>;
  readonly explain: OfRows<Contributions>;
}

/**
 * Returns the functions for the rows of one call. Throws for a plan that has no explanations before
 * the rows run.
 */
function explainer(
  serving: Serving,
  explaining: Explaining,
  plan: RegisteredPlan,
  wanted: true | ContributionOptions,
  verb: string,
): Explainer {
  const choice = wanted === true ? {} : wanted;
  const record = explainableRecord(serving, plan, choice, `${verb} with contributions`);
  return {
    record,
    read: (rows, limits, first) => {
      const { check } = watchOf(() => serving.live.checkThere(record), limits, rows.length);
      return ownRows(serving.clock, record, rows, first, () => check(0));
    },
    explain: (rows, limits, first) => explainRows(serving, explaining, record, rows, { choice, limits, first }),
  };
}
