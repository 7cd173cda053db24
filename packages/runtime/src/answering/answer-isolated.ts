import { admit, type Row, rowFields } from '../admission.js';
import type { CallLimits } from '../admission-control/call-limits.js';
import type { Answer } from '../answers.js';
import type { Isolation } from '../isolation/isolation.js';
import type { PlanRecord } from '../plan-record.js';
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
    const sent = rows.map((row, at) => plainRow(record, row, first + at));
    for (let at = 0; at < rows.length; at += TASK_ROWS)
      place.add(admit(record.inputs, rows.slice(at, at + TASK_ROWS), first + at));
    trace?.queued();
    const answers: Answer[] = [];
    trace?.started('worker');
    while (answers.length < sent.length) {
      const at = answers.length;
      const stillWanted = () => {
        call.stillThere();
        limits?.check(at, rows.length);
      };
      const task = isolation.run(record, sent.slice(at, at + TASK_ROWS), first + at, stillWanted);
      answers.push(...(await withinLimits(task, limits, at, rows.length)));
      call.stillThere();
      if (answers.length < sent.length) limits?.check(answers.length, rows.length);
    }
    return answers;
  } finally {
    place.leave();
  }
}

/** The fields of a row that the plan reads, in an object that can be sent. */
function plainRow({ inputs }: PlanRecord, row: Row, at: number): Row {
  if (typeof row === 'string') return row;
  const fields = rowFields(inputs, row, at);
  return Object.fromEntries(inputs.flatMap(({ name, unused }) => (unused ? [] : [[name, fields[name]]]))) as Row;
}

/** Rejects when the caller has no more time. */
async function withinLimits<T>(task: Promise<T>, limits: CallLimits | undefined, answered: number, rows: number) {
  if (limits === undefined) return task;
  task.catch(() => {}); // nobody may be there to hear of it
  let onAbort: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const { signal, remainingMs } = limits;
  const late = new Promise<never>((_, reject) => {
    const check = () => {
      try {
        limits.check(answered, rows);
        timer = setTimeout(check, limits.remainingMs); // timers may ring a little early
      } catch (error) {
        reject(error);
      }
    };
    if (remainingMs !== Infinity) timer = setTimeout(check, Math.min(remainingMs, GREATEST_MS));
    onAbort = () => reject(signal!.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([task, late]);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
  }
}

/** What timers can wait. */
const GREATEST_MS = 2 ** 31 - 1;
