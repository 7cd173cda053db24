import type { StagePlacement } from '@brezel/core';
import type { RowBlock } from '../execute/answers/answer-block.js';
import type { AnswerSink, Collect } from '../execute/answers/answer-sink.js';
import type { Answer } from '../execute/answers/answers.js';
import type { Call, Execute } from '../execute/execute.js';
import type { RowList } from '../execute/rows/copied-rows.js';
import type { Column, Row } from '../execute/rows/row-schema.js';
import type { RowExecution } from '../parallel/executors/batch-target.js';

/** A serving feature that forwards every call. A subclass overrides the calls that it changes. */
export abstract class Feature implements Execute {
  protected readonly next: Execute;

  constructor(next: Execute) {
    this.next = next;
  }

  row(row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    return this.next.row(row, out, check);
  }

  rowLater(row: Row, call: Call): Promise<Answer> {
    return this.next.rowLater(row, call);
  }

  rows<Result>(rows: RowList, call: Call, collect: Collect<Result>): Promise<Result> {
    return this.next.rows(rows, call, collect);
  }

  block(block: RowBlock, sink: AnswerSink, at: number): void {
    this.next.block(block, sink, at);
  }

  executorsFor(rows: number): RowExecution | undefined {
    return this.next.executorsFor(rows);
  }

  cachedAnswer(columns: readonly Column[]): Answer | undefined {
    return this.next.cachedAnswer(columns);
  }

  runsElsewhere(rows: number): boolean {
    return this.next.runsElsewhere(rows);
  }
}

/** Functions of a feature besides answering rows. All members are optional. */
export interface FeatureParts {
  /**
   * Notifies the feature of a row that `predictMany` answered, because such a row does not run
   * through the feature.
   */
  answered?(row: Row): void;
  /**
   * Notifies the feature of the rows that a call of `predictManyBatch` answered, because such rows
   * do not run through the feature.
   */
  answeredRows?(rows: RowList): void;
  /** Returns the fields that the feature adds to the plan's statistics. */
  stats?(): object;
  /**
   * Set if `predict` must queue each row because of this feature, even if the row could run
   * immediately. The text names the reason. Otherwise undefined.
   */
  readonly queuesBecause?: string;
  /** Opens resources before the first prediction. `warm` calls it. */
  open?(): Promise<void>;
  /** Returns where each stage would run a batch of this size. */
  placement?(rows: number): StagePlacement[];
  /** Rejects the calls that wait inside the feature with this error. */
  end?(error: () => Error): void;
  /** Releases the resources of the feature. The plan does not run afterwards. */
  close?(): void;
}
