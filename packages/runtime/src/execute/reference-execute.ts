import { isolatedError } from '../parallel/isolated/isolated-plan.js';
import type { ServedPlan } from '../plans/registered-plan.js';
import type { Collect } from './answers/answer-sink.js';
import { runBatch } from './batch.js';
import { runBatchLater } from './boxed-batch.js';
import type { Call } from './execute.js';
import type { PlanEngines } from './plan-engines.js';
import { PlanExecute } from './plan-execute.js';
import { ENGINE_FACTORS } from './plan-parts.js';
import type { RowList } from './rows/copied-rows.js';

/**
 * Answers batches with reference kernels only. These kernels define the answers of the plan, so the
 * caller can compare other engines with them.
 */
export class ReferenceExecute extends PlanExecute {
  readonly #plan: ServedPlan;
  readonly #engines: PlanEngines;

  constructor(plan: ServedPlan, engines: PlanEngines) {
    super(plan, engines);
    this.#plan = plan;
    this.#engines = engines;
  }

  /**
   * Answers the rows of a call in blocks.
   * @throws ERR_RUNTIME_ISOLATED for a plan that runs on isolated workers.
   */
  override async rows<Result>(rows: RowList, call: Call, collect: Collect<Result>): Promise<Result> {
    const plan = this.#plan;
    if (plan.isolated !== undefined) throw isolatedError(plan, 'engine reference');
    call.trace?.started('here');
    const reference = this.#engines.reference(plan);
    if (plan.boxes !== undefined) return runBatchLater(plan, rows, reference, call, collect);
    const blocks = this.#engines.javascriptBlocks(reference);
    return runBatch(plan, rows, ENGINE_FACTORS.javascript * plan.compiled.nanosPerRow, blocks, call, collect);
  }
}
