import type { Collect } from '../../execute/answers/answer-sink.js';
import type { Answer } from '../../execute/answers/answers.js';
import type { Call, Execute } from '../../execute/execute.js';
import type { RowList } from '../../execute/rows/copied-rows.js';
import type { Row } from '../../execute/rows/row-schema.js';
import { Feature, type FeatureParts } from '../feature.js';
import type { PlanGuard } from './plan-guard.js';

/**
 * The serving feature that counts the outcomes of a plan's calls, and rejects calls while the plan
 * is in quarantine.
 */
export class CircuitBreaker extends Feature implements FeatureParts {
  readonly #guard: PlanGuard;

  constructor(guard: PlanGuard, next: Execute) {
    super(next);
    this.#guard = guard;
  }

  override row(row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    const guard = this.#guard;
    guard.enter();
    try {
      const answer = this.next.row(row, out, check);
      guard.succeeded();
      return answer;
    } catch (error) {
      guard.failed(error);
      throw error;
    }
  }

  override rowLater(row: Row, call: Call): Promise<Answer> {
    return this.#guard.around(() => this.next.rowLater(row, call), call.limits?.signal);
  }

  override rows<Result>(rows: RowList, call: Call, collect: Collect<Result>): Promise<Result> {
    return this.#guard.around(() => this.next.rows(rows, call, collect), call.limits?.signal);
  }

  stats() {
    const quarantine = this.#guard.quarantine();
    return quarantine === undefined ? {} : { quarantine };
  }
}
