import { BrezelError, InternalError } from '@brezel/core';
import type { AnswerBlock } from '../../execute/answers/answer-block.js';
import type { Collector } from '../../execute/answers/answer-sink.js';
import { type Answer, answerFromBlocks, answerFromNumbers, type RowValues } from '../../execute/answers/answers.js';
import { admitBlocks, type BatchWatch, BLOCK_ROWS, runBatch } from '../../execute/batch.js';
import type { RowList } from '../../execute/rows/copied-rows.js';
import { renumbered } from '../../execute/rows/row-errors.js';
import type { RowExecution } from '../../parallel/executors/batch-target.js';
import type { PlanRecord } from '../../plans/plan-record.js';
import { enterAll, type FanOutEngines, failureOf, plansOf, withPlan } from './answer-many.js';
import { withFailedPlans } from './failed-plans.js';
import type { Group, Member } from './plan-sets.js';

/** The answers of several plans: a list of answers for each plan, in the order of the rows. */
export type AnswerLists = readonly Answer[][];

/** A call that answers many rows with the plans of one group. */
export interface GroupCall {
  readonly rows: RowList;
  readonly watch: BatchWatch;
  readonly signal: AbortSignal | undefined;
  /** If true, the rows run without a pause on the calling thread. */
  readonly isAtOnce: boolean;
  /** Returns a function that answers the blocks of this call. */
  blocks(): AnswerBlock;
  /** The executors for the rows, or undefined when the calling thread is faster. */
  readonly executors: RowExecution | undefined;
}

/** Divides the values of a merged plan among the plans of its group. */
class GroupAnswers implements Collector<AnswerLists> {
  readonly result: AnswerLists;
  readonly #members: readonly Member[];
  readonly #width: number;

  constructor({ members, record }: Group, rows: number) {
    this.#members = members;
    this.#width = record.width;
    this.result = members.map(() => new Array<Answer>(rows));
  }

  take(values: RowValues, rows: number, at: number): void {
    this.#members.forEach((member, index) => {
      const answers = this.result[index]!;
      const answerOf = this.#answersOf(member, values);
      for (let row = 0; row < rows; row++) answers[at + row] = answerOf(row);
    });
  }

  put(): void {
    throw new InternalError('a merged plan answered a row of a batch alone');
  }

  #answersOf({ plan: { outputs }, firstNumber, firstOutput }: Member, values: RowValues): (row: number) => Answer {
    if (values instanceof Float64Array)
      return (row) => answerFromNumbers(outputs, values, row * this.#width + firstNumber);
    const blocks = values.slice(firstOutput, firstOutput + outputs.length);
    return (row) => answerFromBlocks(outputs, blocks, row);
  }
}

/**
 * Answers rows with all plans of a group. A stage that several plans share runs once for each
 * block. The lists have the order of the members.
 *
 * @throws the error of the plan that fails, with the plan and the row
 */
export async function answerGroupRows(group: Group, call: GroupCall, engines: FanOutEngines): Promise<AnswerLists> {
  const plans = plansOf(group.members);
  enterAll(plans);
  try {
    const answers = await runGroupRows(group, call);
    for (const { guard } of plans) guard.succeeded();
    for (const counter of group.counters) counter.answeredRows(call.rows);
    return answers;
  } catch (error) {
    throw blamed(plans, error, call, engines);
  }
}

function runGroupRows(group: Group, call: GroupCall): Promise<AnswerLists> {
  const { rows, watch, executors, isAtOnce } = call;
  const collect = (count: number) => new GroupAnswers(group, count);
  watch.check(0);
  if (isAtOnce) return runWithoutPause(group, call);
  if (executors !== undefined) return executors.run(rows, watch, 0, collect);
  return runBatch(group.record, rows, group.record.nanosPerRow, call.blocks(), { watch, first: 0 }, collect);
}

/** Checks all rows, and then runs all rows in one turn of the event loop. */
async function runWithoutPause(group: Group, { rows, watch, blocks }: GroupCall): Promise<AnswerLists> {
  const columns = await admitBlocks(group.record, rows, watch, 0);
  const sink = new GroupAnswers(group, rows.length);
  const answerBlock = blocks();
  columns.forEach((block, index) => {
    const first = index * BLOCK_ROWS;
    const check = () => watch.check(first);
    check();
    const count = Math.min(BLOCK_ROWS, rows.length - first);
    answerBlock({ columns: block, rows: count, first, check }, sink, first);
  });
  return sink.result;
}

/**
 * Finds the plan whose error ended the batch. Only this plan counts the failure. Returns the error
 * with the names of the plan and the row.
 */
function blamed(
  plans: ReadonlySet<PlanRecord>,
  error: unknown,
  { rows, signal }: GroupCall,
  engines: FanOutEngines,
): unknown {
  const row = error instanceof BrezelError ? error.details.row : undefined;
  const found = row === undefined ? undefined : failureOf(plans, rows.slice(row, row + 1)[0]!, engines);
  for (const plan of plans) {
    if (found === undefined) plan.guard.failed(error, signal);
    else if (plan === found.plan) plan.guard.failed(found.error, signal);
    else plan.guard.left();
  }
  if (found === undefined) return withFailedPlans(error, [...plans]);
  const numbered = renumbered(found.error, () => row!);
  return withFailedPlans(withPlan(numbered, found.plan.name), [found.plan]);
}
