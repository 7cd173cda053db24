import { type Collect, listedAnswers } from '../../execute/answers/answer-sink.js';
import type { Answer } from '../../execute/answers/answers.js';
import { ownSlice } from '../../execute/event-loop-slicing.js';
import type { Call, Execute } from '../../execute/execute.js';
import { columnsOfRow } from '../../execute/native/request-response.js';
import { ColumnRows } from '../../execute/rows/column-rows.js';
import { CopiedRows, type RowList } from '../../execute/rows/copied-rows.js';
import { renumbered } from '../../execute/rows/row-errors.js';
import type { Column, Row } from '../../execute/rows/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { Feature } from '../feature.js';
import type { Queue } from './queue.js';

/**
 * Counts the rows of each call as queued until the call is answered, and enforces the queue limits
 * of the runtime.
 */
export class Admission extends Feature {
  readonly #queue: Queue;
  readonly #plan: ServedPlan;

  constructor(queue: Queue, plan: ServedPlan, next: Execute) {
    super(next);
    this.#queue = queue;
    this.#plan = plan;
  }

  override async rowLater(row: Row, call: Call): Promise<Answer> {
    if (call.isQueued && this.next.runsElsewhere(1))
      return (await this.rows([row], call, listedAnswers(this.#plan)))[0]!;
    if (call.isQueued) await turnForRow(this.#queue, this.#plan, row, call);
    call.trace?.started();
    const { limits } = call;
    return this.next.row(row, undefined, limits && (() => limits.check(0, 1))) as Answer;
  }

  override async rows<Result>(rows: RowList, call: Call, collect: Collect<Result>): Promise<Result> {
    if (!call.isQueued) return this.#oneByOne(copied(rows, call), call, collect);
    const place = this.#queue.placeOf(call, this.#plan.name, rows.length);
    const enter = (columns: readonly Column[]) => place.add(columns);
    try {
      // The rows are copied after the limits of the queue are checked, because the copy takes
      // memory.
      return await this.next.rows(copied(rows, call), { ...call, watch: { ...call.watch, enter } }, collect);
    } finally {
      place.leave();
    }
  }

  #oneByOne<Result>(rows: RowList, { limits, trace, first }: Call, collect: Collect<Result>): Result {
    trace?.started();
    const sink = collect(rows.length);
    let answered = 0;
    const check = limits && (() => limits.check(answered, rows.length));
    try {
      for (const row of rows.slice(0, rows.length)) {
        if (answered > 0) check?.();
        sink.put(answered, this.next.row(row, undefined, check) as Answer);
        answered++;
      }
      return sink.result;
    } catch (error) {
      throw renumbered(error, () => first + answered);
    }
  }
}

/**
 * Copies the caller's list, unless the verb has copied it. Features that run before `Admission`
 * neither copy nor change the list. Columns are not copied, because a copy of many numbers would
 * block the event loop.
 */
const copied = (rows: RowList, { first }: Call): RowList =>
  rows instanceof ColumnRows || rows instanceof CopiedRows ? rows : new CopiedRows(rows as readonly Row[], first);

/**
 * Waits in the queue until the row may run on the event loop.
 * @throws ERR_RUNTIME_INPUT immediately for a row that does not match the schema.
 */
export async function turnForRow(
  queue: Queue,
  plan: ServedPlan,
  row: Row,
  { trace, watch, place: own }: Pick<Call, 'trace' | 'watch' | 'place'>,
): Promise<void> {
  const place = queue.placeOf({ place: own }, plan.name, 1);
  try {
    place.add(columnsOfRow(plan, row));
    trace?.queued();
    await ownSlice();
  } finally {
    place.leave();
  }
  watch.check(0);
}
