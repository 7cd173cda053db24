import type { Answer } from '../../execute/answers.js';
import type { RowList } from '../../execute/copied-rows.js';
import type { Call, Execute } from '../../execute/execute.js';
import { Feature } from '../../features/feature.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { PlanExecution } from './batch-target.js';
import type { ExecutorFacade } from './executor-facade.js';

/** Sends batches to executors if they have enough work. */
export class ExecutorExecute extends Feature {
  readonly #plan: ServedPlan;
  readonly #executors: ExecutorFacade;

  constructor(plan: ServedPlan, executors: ExecutorFacade, next: Execute) {
    super(next);
    this.#plan = plan;
    this.#executors = executors;
  }

  override rows(rows: RowList, call: Call): Promise<Answer[]> {
    const executors = this.executorsFor(rows.length);
    if (executors === undefined) return this.next.rows(rows, call);
    call.trace?.started('executors');
    return executors.run(rows, call.watch, call.first);
  }

  override runsElsewhere(rows: number): boolean {
    return this.#plan.scheduling.reserve?.rows === 'all' || this.next.runsElsewhere(rows);
  }

  override executorsFor(rows: number): PlanExecution | undefined {
    return this.#executors.forRows(this.#plan, rows);
  }
}
