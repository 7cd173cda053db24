import type { ServedPlan } from '../plans/registered-plan.js';
import type { AnswerBlock, RowBlock } from './answers/answer-block.js';
import type { AnswerSink, Collect } from './answers/answer-sink.js';
import type { Answer } from './answers/answers.js';
import { runBatch } from './batch.js';
import { runBatchLater } from './boxed-batch.js';
import type { Call, Execute } from './execute.js';
import type { PlanEngines } from './plan-engines.js';
import type { RowList } from './rows/copied-rows.js';
import type { Row } from './rows/row-schema.js';

/**
 * Runs the rows of one plan on the calling thread. It is the last `Execute` of a plan's chain,
 * after all serving features.
 */
export class PlanExecute implements Execute {
  readonly #plan: ServedPlan;
  readonly #engines: PlanEngines;
  /**
   * The function that answers blocks for callers that send one block after another, such as streams
   * and delayed batching. A batch does not use this function; it creates a new one.
   */
  #blocks: AnswerBlock | undefined;

  constructor(plan: ServedPlan, engines: PlanEngines) {
    this.#plan = plan;
    this.#engines = engines;
  }

  row(row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    return this.#engines.executeRow(this.#plan, row, out, check);
  }

  rowLater(row: Row, { limits }: Call): Promise<Answer> {
    return Promise.resolve(this.row(row, undefined, limits && (() => limits.check(0, 1))) as Answer);
  }

  rows<Result>(rows: RowList, call: Call, collect: Collect<Result>): Promise<Result> {
    const plan = this.#plan;
    call.trace?.started('here');
    if (plan.boxes !== undefined) return runBatchLater(plan, rows, this.#engines.javascript(plan), call, collect);
    const blocks = call.isPaced ? this.#cachedBlocks() : this.#engines.blocksOf(plan);
    return runBatch(plan, rows, plan.nanosPerRow, blocks, call, collect);
  }

  block(block: RowBlock, sink: AnswerSink, at: number): void {
    this.#cachedBlocks()(block, sink, at);
  }

  executorsFor(): undefined {
    return undefined;
  }

  cachedAnswer(): undefined {
    return undefined;
  }

  runsElsewhere(): boolean {
    return this.#plan.boxes !== undefined;
  }

  #cachedBlocks(): AnswerBlock {
    this.#blocks ??= this.#engines.blocksOf(this.#plan);
    return this.#blocks;
  }
}
