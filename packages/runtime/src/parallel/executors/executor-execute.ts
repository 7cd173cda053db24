import type { Collect } from '../../execute/answers/answer-sink.js';
import type { Call, Execute } from '../../execute/execute.js';
import type { RowList } from '../../execute/rows/copied-rows.js';
import { Feature } from '../../features/feature.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { PlanExecution } from './batch-target.js';
import type { ExecutorFacade } from './executor-facade.js';

/** The serving feature that sends batches to executors if they have enough work. */
export class ExecutorExecute extends Feature {
  readonly #plan: ServedPlan;
  readonly #executors: ExecutorFacade;

  constructor(plan: ServedPlan, executors: ExecutorFacade, next: Execute) {
    super(next);
    this.#plan = plan;
    this.#executors = executors;
  }

  override rows<Result>(rows: RowList, call: Call, collect: Collect<Result>): Promise<Result> {
    const executors = this.executorsFor(rows.length);
    if (executors === undefined) return this.next.rows(rows, call, collect);
    call.trace?.started('executors');
    return executors.run(rows, call.watch, call.first, collect);
  }

  override runsElsewhere(rows: number): boolean {
    return this.#plan.scheduling.reserve?.rows === 'all' || this.next.runsElsewhere(rows);
  }

  override executorsFor(rows: number): PlanExecution | undefined {
    return this.#executors.forRows(this.#plan, rows);
  }
}
