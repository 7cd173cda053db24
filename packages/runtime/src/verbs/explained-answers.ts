import type { OptionNames } from '@brezel/core';
import { runtimeError } from '../errors.js';
import { listedAnswers } from '../execute/answers/answer-sink.js';
import type { Answer } from '../execute/answers/answers.js';
import { backgroundRows } from '../execute/contributions/background.js';
import type { Contributions } from '../execute/contributions/explain-rows.js';
import { CopiedRows } from '../execute/rows/copied-rows.js';
import { ownRows } from '../execute/rows/own-rows.js';
import { checkArray } from '../execute/rows/row-errors.js';
import type { Row } from '../execute/rows/row-schema.js';
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
import { answerRows, batchOptionNames, type RowBatchOptions } from './batch.js';
import {
  type ContributionOptions,
  contributionOptionNames,
  type Explaining,
  explainableRecord,
  explainRows,
} from './contributions.js';
import { inQueue } from './in-queue.js';
import { type Serving, watchOf } from './serving.js';
import { answerOne, type PredictOptions, predictOptionNames } from './single-row.js';
import { answerStreamBlock } from './stream.js';

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
  const { contributions, engine, ...rest } = checkedOptions(options, predictOptionNames, 'predict');
  const { record, read, explain } = explainer(serving, explaining, plan, contributions, 'predict');
  const limits = callLimits(plan.name, rest, serving.clock);
  return inQueue(serving, record, 1, async (place) => {
    const own = await read([row], limits, 0);
    const answer = await answerOne(serving, record, own[0]!, { engine, limits, place });
    const [why] = await explain(own, limits, 0);
    return { answer, contributions: why! };
  });
}

/** Implements `runtime.predictBatch` with the option `contributions`. */
export async function predictRowsExplained(
  serving: Serving,
  explaining: Explaining,
  plan: RegisteredPlan,
  rows: readonly Row[],
  options: Explained<RowBatchOptions>,
): Promise<ExplainedAnswer[]> {
  const { contributions, engine, ...rest } = checkedOptions(options, batchOptionNames, 'predictBatch');
  const { record, read, explain } = explainer(serving, explaining, plan, contributions, 'predictBatch');
  checkArray(rows, 'rows', plan.name);
  const limits = callLimits(plan.name, rest, serving.clock);
  return inQueue(serving, record, rows.length, async (place) => {
    const copies = new CopiedRows(rows);
    const own = await read(copies.slice(0, copies.length), limits, 0);
    const call = { verb: 'predictBatch', engine, limits, place } as const;
    const answers = await answerRows(serving, record, own, call, listedAnswers(record));
    return together(answers, await explain(own, limits, 0));
  });
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
  const { read, explain } = explainer(serving, explaining, plan, contributions, 'predictStream');
  checkStream(plan.name, rows, rest);
  const limits = callLimits(plan.name, { signal: rest.signal }, serving.clock);
  return answerStream(rows, rest, async (block, first) => {
    const record = serving.live.record(plan);
    const place = serving.queue.enter(record.name, block.length, true);
    try {
      const own = await read(block, limits, first);
      const answers = await answerStreamBlock(serving, record, own, { first, limits, place });
      return together(answers, await explain(own, limits, first));
    } finally {
      place.leave();
    }
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

/**
 * A function that copies or explains rows of a call. `first` is the index of the first row in the
 * request.
 */
type OfRows<Result> = (rows: readonly Row[], limits: CallLimits | undefined, first: number) => Promise<Result[]>;

/** The plan of a call with explanations, and the functions for its rows. */
interface Explainer {
  readonly record: PlanRecord;
  /** Copies the values of rows. */
  readonly read: OfRows<Row>;
  readonly explain: OfRows<Contributions>;
}

/**
 * Returns the functions for the rows of one call. Throws if the plan cannot be explained, before
 * any row runs.
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
  const background = backgroundRows(record, choice);
  return {
    record,
    read: async (rows, limits, first) => {
      const watch = watchOf(() => serving.live.checkThere(record), limits, rows.length);
      const own = await ownRows(serving.clock, record, rows, first, () => watch.check(0));
      watch.check(0); // a getter of a row may have removed the plan
      return own;
    },
    explain: (rows, limits, first) =>
      explainRows(serving, explaining, record, rows, { choice, limits, first, background }),
  };
}
