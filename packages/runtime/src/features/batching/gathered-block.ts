import type { Collect } from '../../execute/answers/answer-sink.js';
import type { Answer } from '../../execute/answers/answers.js';
import { type Column, joinNumbers, type NumberColumn } from '../../execute/rows/row-schema.js';
import type { RowExecution } from '../../parallel/executors/batch-target.js';
import type { CallLimits } from '../admission/call-limits.js';

/** A copy of a row, made at the time of the call. */
export interface GatheredRow {
  readonly columns: readonly Column[];
  readonly limits: CallLimits | undefined;
  /** Called when the call ends, with an answer or an error. */
  onSettled?: () => void;
}

/** Ends the calls of the rows of a block. */
export interface BlockEnd<Gathered extends GatheredRow> {
  /** Ends the call of a row if its deadline has passed. Returns whether the call still waits. */
  waits(row: Gathered): boolean;
  answered(row: Gathered, answer: Answer): void;
  failed(row: Gathered, error: unknown): void;
}

/**
 * Runs the rows of several calls on executors as one block. The deadline or the signal of a call
 * ends only this call. When all calls have ended, the block is canceled. If the block fails, its
 * rows are sent again one by one, so that each call gets only the error of its row.
 */
export async function sendBlock<Gathered extends GatheredRow>(
  executors: RowExecution,
  rows: readonly Gathered[],
  collect: Collect<Answer[]>,
  end: BlockEnd<Gathered>,
): Promise<void> {
  const nobodyWaits = new AbortController();
  const open = new Set(rows);
  for (const row of rows) {
    row.onSettled = () => {
      open.delete(row);
      if (open.size === 0) nobodyWaits.abort();
    };
  }
  const { signal } = nobodyWaits;
  const check = () => {
    for (const row of open) end.waits(row);
    signal.throwIfAborted();
  };
  const limits = {
    signal,
    get remainingMs() {
      return soonest(open)?.remainingMs ?? Infinity;
    },
    later: (callback: () => void) => soonest(open)!.later(callback),
  };
  try {
    const columns = joined(rows);
    const sizes = columns.map((column) => column.length / rows.length);
    const admit = (from: number, to: number) =>
      columns.map((column, input) => column.slice(from * sizes[input]!, to * sizes[input]!));
    const answers = await executors.run({ rows: rows.length, admit }, { check, limits }, 0, collect);
    for (const [at, row] of rows.entries()) if (open.has(row)) end.answered(row, answers[at]!);
  } catch (error) {
    const left = [...open];
    if (rows.length === 1) for (const row of left) end.failed(row, error);
    else await Promise.all(left.map((row) => sendBlock(executors, [row], collect, end)));
  }
}

/** Returns the limits of the call with the earliest deadline. */
function soonest(rows: Iterable<GatheredRow>): CallLimits | undefined {
  let first: CallLimits | undefined;
  for (const { limits } of rows)
    if (limits !== undefined && !(first && first.remainingMs <= limits.remainingMs)) first = limits;
  return first;
}

/** Joins the columns of several rows into the columns of one block. */
export function joined(rows: readonly GatheredRow[]): Column[] {
  return rows[0]!.columns.map((first, input) => {
    const columns = rows.map((row) => row.columns[input]!);
    if (Array.isArray(first)) return (columns as string[][]).flat();
    return joinNumbers(columns as NumberColumn[], first.length * rows.length);
  });
}
