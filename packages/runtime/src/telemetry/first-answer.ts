import { channel } from 'node:diagnostics_channel';
import type { Collect } from '../execute/answers/answer-sink.js';
import type { Answer } from '../execute/answers/answers.js';
import type { Call, Execute } from '../execute/execute.js';
import type { RowList } from '../execute/rows/copied-rows.js';
import type { Row } from '../execute/rows/row-schema.js';
import { Feature } from '../features/feature.js';
import type { PlanRecord } from '../plans/plan-record.js';

/**
 * The runtime publishes on this channel when it has answered the first row of a plan. The code
 * cache of the published package subscribes to it.
 */
const firstAnswer = channel('brezel.firstAnswer');

/**
 * Publishes a message at the first answer of a plan, if the channel has subscribers. After this
 * message, the calls of the plan are as fast as without subscribers.
 */
export function announceFirstAnswer(record: PlanRecord): void {
  if (firstAnswer.hasSubscribers) replaceExecute(record, new FirstAnswer(record));
}

const replaceExecute = (record: { execute: Execute }, execute: Execute) => {
  record.execute = execute;
};

/**
 * Forwards the calls of a plan. At the first answer, it publishes the message and removes itself.
 */
class FirstAnswer extends Feature {
  readonly #record: PlanRecord;

  constructor(record: PlanRecord) {
    super(record.execute);
    this.#record = record;
  }

  override row(row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    return this.#answered(super.row(row, out, check));
  }

  override async rowLater(row: Row, call: Call): Promise<Answer> {
    return this.#answered(await super.rowLater(row, call));
  }

  override async rows<Result>(rows: RowList, call: Call, collect: Collect<Result>): Promise<Result> {
    return this.#answered(await super.rows(rows, call, collect));
  }

  #answered<T>(answer: T): T {
    if (this.#record.execute === this) {
      replaceExecute(this.#record, this.next);
      firstAnswer.publish({ plan: this.#record.name });
    }
    return answer;
  }
}
