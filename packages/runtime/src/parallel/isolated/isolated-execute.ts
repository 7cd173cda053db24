import type { ClockTimer } from '@brezel/core';
import { type Collect, listedAnswers } from '../../execute/answers/answer-sink.js';
import type { Answer } from '../../execute/answers/answers.js';
import type { Call, Execute } from '../../execute/execute.js';
import { columnsOfRows } from '../../execute/rows/column-rows.js';
import type { RowList } from '../../execute/rows/copied-rows.js';
import type { Row } from '../../execute/rows/row-schema.js';
import type { CallLimits } from '../../features/admission/call-limits.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { isolatedError } from './isolated-plan.js';
import type { IsolatedRows, Isolation } from './isolation.js';

/**
 * The largest number of rows in one task. An operator must process all rows of a task within its
 * deadline, so the number is small.
 */
const TASK_ROWS = 64;

/**
 * Runs the rows of one plan on isolated workers. JavaScript cannot end a running function, but it
 * can end the function's thread. Plans with operator deadlines therefore run on separate threads.
 */
export class IsolatedExecute implements Execute {
  readonly #plan: ServedPlan;
  readonly #isolation: Isolation;

  constructor(plan: ServedPlan, isolation: Isolation) {
    this.#plan = plan;
    this.#isolation = isolation;
  }

  /**
   * Always throws, because a plan on isolated workers has no synchronous calls.
   * @throws ERR_RUNTIME_ISOLATED
   */
  row(): never {
    throw isolatedError(this.#plan, 'predictSync');
  }

  async rowLater(row: Row, call: Call): Promise<Answer> {
    return (await this.rows([row], call, listedAnswers(this.#plan)))[0]!;
  }

  /**
   * Answers rows in order, one task after another. All rows are checked before the first task is
   * sent. If the caller's deadline or signal ends the call, the worker still finishes its current
   * task.
   */
  async rows<Result>(
    rows: RowList,
    { watch, limits, trace, first, stillThere }: Call,
    collect: Collect<Result>,
  ): Promise<Result> {
    const tasks = checkedTasks(this.#plan, rows, first);
    for (const { columns } of tasks) watch.enter?.(columns);
    trace?.queued();
    const sink = collect(rows.length);
    trace?.started('worker');
    for (const task of tasks) {
      const index = task.first - first;
      const check = () => watch.check(index);
      check();
      const result = this.#isolation.run(this.#plan, task, check);
      const blocks = await withinLimits(result, limits, index, rows.length);
      stillThere();
      sink.take(blocks, task.rows, index);
    }
    return sink.result;
  }

  /**
   * Always throws, because a plan on isolated workers has no synchronous calls.
   * @throws ERR_RUNTIME_ISOLATED
   */
  block(): never {
    throw isolatedError(this.#plan, 'batching');
  }

  executorsFor(): undefined {
    return undefined;
  }

  cachedAnswer(): undefined {
    return undefined;
  }

  runsElsewhere(): boolean {
    return true;
  }
}

function checkedTasks(plan: ServedPlan, rows: RowList, first: number): IsolatedRows[] {
  const tasks: IsolatedRows[] = [];
  for (let index = 0; index < rows.length; index += TASK_ROWS) {
    const end = Math.min(rows.length, index + TASK_ROWS);
    const columns = columnsOfRows(plan, rows, index, end, first + index);
    tasks.push({ columns, rows: end - index, first: first + index });
  }
  return tasks;
}
/** Waits for a task, but rejects when the caller's deadline passes or its signal aborts. */
async function withinLimits<T>(task: Promise<T>, limits: CallLimits | undefined, answered: number, rows: number) {
  if (limits === undefined) return task;
  task.catch(() => {}); // the caller may no longer wait when the task fails
  let onAbort: (() => void) | undefined;
  let timer: ClockTimer | undefined;
  const { signal, remainingMs } = limits;
  const late = new Promise<never>((_, reject) => {
    const check = () => {
      try {
        limits.check(answered, rows);
        timer = limits.later(check); // a timer may fire early
      } catch (error) {
        reject(error);
      }
    };
    if (remainingMs !== Infinity) timer = limits.later(check);
    onAbort = () => reject(signal!.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([task, late]);
  } finally {
    timer?.cancel();
    if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
  }
}
