import type { Answer } from '../../execute/answers.js';
import { ownSlice } from '../../execute/event-loop-slicing.js';
import type { Call, Execute } from '../../execute/execute.js';
import { columnsOfRow } from '../../execute/native/request-response.js';
import type { Column, Row } from '../../execute/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { Feature } from '../feature.js';
import type { Queue } from './queue.js';

/** Counts queued rows against the limits of the runtime, from the call to the answer. */
export class Admission extends Feature {
  readonly #queue: Queue;
  readonly #plan: ServedPlan;

  constructor(queue: Queue, plan: ServedPlan, next: Execute) {
    super(next);
    this.#queue = queue;
    this.#plan = plan;
  }

  override async rowLater(row: Row, call: Call): Promise<Answer> {
    if (call.isQueued && this.next.runsElsewhere(1)) return (await this.rows([row], call))[0]!;
    if (call.isQueued) await turnForRow(this.#queue, this.#plan, row, call);
    call.trace?.started();
    const { limits } = call;
    return this.next.row(row, undefined, limits && (() => limits.check(0, 1))) as Answer;
  }

  override async rows(rows: readonly Row[], call: Call): Promise<Answer[]> {
    if (!call.isQueued) return this.#oneByOne(rows, call);
    const place = this.#queue.enter(this.#plan.name, rows.length, call.isPaced);
    const enter = (columns: readonly Column[]) => place.add(columns);
    try {
      return await this.next.rows(rows, { ...call, watch: { ...call.watch, enter } });
    } finally {
      place.leave();
    }
  }

  #oneByOne(rows: readonly Row[], { limits, trace }: Call): Answer[] {
    trace?.started();
    return rows.map((row, index) => {
      const check = limits && (() => limits.check(index, rows.length));
      if (index > 0) check?.();
      return this.next.row(row, undefined, check) as Answer;
    });
  }
}

/**
 * Waits in the queue until one row may use the event loop.
 * @throws ERR_RUNTIME_INPUT at once for a row that does not match the schema.
 */
export async function turnForRow(
  queue: Queue,
  plan: ServedPlan,
  row: Row,
  { trace, watch }: Pick<Call, 'trace' | 'watch'>,
): Promise<void> {
  const place = queue.enter(plan.name, 1);
  try {
    place.add(columnsOfRow(plan, row));
    trace?.queued();
    await ownSlice();
  } finally {
    place.leave();
  }
  watch.check(0);
}
