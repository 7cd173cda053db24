import type { ClockTimer } from '@brezel/core';
import { type Answer, GatheredAnswers } from '../execute/answers.js';
import { admit, type Row } from '../execute/row-schema.js';
import type { CallLimits } from '../features/admission/call-limits.js';
import type { IsolatedRows, Isolation } from '../parallel/isolated/isolation.js';
import type { PlanRecord } from '../plans/plan-record.js';
import type { AsynchronousCall } from './asynchronous.js';

/** Rows that go to a worker together: few, so that the deadline of an operator is soon over. */
const TASK_ROWS = 64;

/**
 * Rows of a plan that runs on workers, in order, a task after the other. All are checked before the first is sent. When the caller's own deadline or
 * signal ends the call, the task that runs is left to its end.
 */
export async function answerIsolated(
  call: AsynchronousCall,
  isolation: Isolation,
  rows: readonly Row[],
  { first = 0, isPaced = false } = {},
): Promise<Answer[]> {
  const { record, limits, trace } = call;
  const place = call.queue.enter(record.name, rows.length, isPaced);
  try {
    const tasks = admittedTasks(record, rows, first);
    for (const { columns } of tasks) place.add(columns);
    trace?.queued();
    const sink = new GatheredAnswers(record, rows.length);
    trace?.started('worker');
    for (const task of tasks) {
      const at = task.first - first;
      const stillWanted = () => {
        call.stillThere();
        limits?.check(at, rows.length);
      };
      stillWanted();
      const blocks = await withinLimits(isolation.run(record, task, stillWanted), limits, at, rows.length);
      call.stillThere();
      for (let row = 0; row < task.rows; row++) sink.put(at + row, sink.read(blocks, row));
    }
    return sink.answers;
  } finally {
    place.leave();
  }
}

function admittedTasks({ inputs }: PlanRecord, rows: readonly Row[], first: number): IsolatedRows[] {
  const tasks: IsolatedRows[] = [];
  for (let at = 0; at < rows.length; at += TASK_ROWS) {
    const some = rows.slice(at, at + TASK_ROWS);
    tasks.push({ columns: admit(inputs, some, first + at), rows: some.length, first: first + at });
  }
  return tasks;
}

/** Rejects when the caller has no more time. */
async function withinLimits<T>(task: Promise<T>, limits: CallLimits | undefined, answered: number, rows: number) {
  if (limits === undefined) return task;
  task.catch(() => {}); // nobody may be there to hear of it
  let onAbort: (() => void) | undefined;
  let timer: ClockTimer | undefined;
  const { signal, remainingMs } = limits;
  const late = new Promise<never>((_, reject) => {
    const check = () => {
      try {
        limits.check(answered, rows);
        timer = limits.later(check); // timers may ring a little early
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
