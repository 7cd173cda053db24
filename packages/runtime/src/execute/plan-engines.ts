import type { Block, KernelTable } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { Materialization } from '../features/cache/materialization.js';
import type { FanOutEngines } from '../features/fan-out/answer-many.js';
import { type SegmentPlaces, SegmentWork } from '../parallel/executors/segment-work.js';
import { isolatedError } from '../parallel/isolated/isolated-plan.js';
import { checkStages } from '../plans/check-plan.js';
import type { PlanRecord } from '../plans/plan-record.js';
import type { ServedPlan } from '../plans/registered-plan.js';
import { sampled, sampledBlocks } from '../telemetry/stage-clocks.js';
import type { BatchRun } from '../verbs/asynchronous.js';
import type { AnswerBlock } from './answer-block.js';
import { type Answer, answerFromBlocks, answerFromNumbers, numbersFromBlocks } from './answers.js';
import { javaScriptBlocks, nativeBlocks, runAtOnce } from './batch.js';
import type { EngineChoice } from './engine-name.js';
import { JavaScriptPlan } from './javascript-plan.js';
import type { NativeKernels } from './native/native-kernels.js';
import { NativeSegment } from './native/native-segment.js';
import { runRow } from './native/request-response.js';
import type { JavaScriptMode } from './prepared-call.js';
import { admit, type Row } from './row-schema.js';
import type { PlanPart } from './work.js';

const REFERENCE_FACTOR = 15;

export interface EngineParts {
  readonly store: ObjectStore;
  readonly table: KernelTable;
  readonly kernels: NativeKernels | undefined;
  readonly materialization: Materialization | undefined;
  /** Executors for parts of plans with black boxes. */
  readonly segmentPlaces?: SegmentPlaces;
}

/** Runs plans on the calling thread: in the addon where they are native, else in JavaScript. */
export class PlanEngines implements FanOutEngines {
  /** The addon, where there is one. */
  readonly kernels: NativeKernels | undefined;
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.kernels = parts.kernels;
  }

  /** One row, counted by the plan's guard, from its cache where it is kept there. */
  guardedOne(record: PlanRecord, row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    record.guard.enter();
    try {
      const answer = this.answerOne(record, row, out, check);
      record.guard.succeeded();
      return answer;
    } catch (error) {
      record.guard.failed(error);
      throw error;
    }
  }

  answerOne(record: PlanRecord, row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    return record.cached === undefined
      ? this.answerRow(record, row, out, check)
      : record.cached.predict(row, out, check);
  }

  /** By the engine of the plan, whatever its cache holds. */
  answerRow(record: PlanRecord, row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    if (record.native === undefined) return this.#rowInJavaScript(record, row, out, check);
    const numbers = out ?? record.numbers;
    this.writeRow(record, row, numbers);
    return out ?? answerFromNumbers(record.outputs, numbers, 0);
  }

  writeRow(record: ServedPlan, row: Row, numbers: Float64Array): void {
    const kernels = this.kernels!;
    if (record.stageClocks === undefined) runRow(record, row, numbers, kernels);
    else sampled(record, 1, (nanoseconds) => runRow(record, row, numbers, kernels, nanoseconds));
  }

  blocksOfRow(record: ServedPlan, row: Row, check?: () => void): Block[] {
    const plan = this.fallback(record);
    const columns = admit(record.inputs, [row]);
    return sampled(record, 1, (clock) =>
      clock ? plan.runTimed(columns, 1, clock, 0, check) : plan.runOne(columns, check),
    );
  }

  /** At once, by the engine of the plan. The time of each stage is added to `nanoseconds`. */
  answerRows(record: PlanRecord, rows: readonly Row[], nanoseconds?: Float64Array): Answer[] {
    return runAtOnce(record, rows, this.#blocks(record, nanoseconds));
  }

  /** How blocks of rows are answered. @throws ERR_RUNTIME_ISOLATED */
  batchRun(record: PlanRecord, engine: EngineChoice['engine']): BatchRun {
    if (record.isolated !== undefined) throw isolatedError(record, `engine ${engine}`);
    const { nanosPerRow } = record;
    if (engine !== 'reference') {
      const mayUseDevice = record.devices !== undefined;
      if (record.boxes === undefined) return { nanosPerRow, answerBlock: this.cachedBlocks(record), mayUseDevice };
      return { nanosPerRow, answerBlock: this.#blocks(record), boxes: this.fallback(record), mayUseDevice };
    }
    const reference = this.#interpreted(record, 'reference');
    const answerBlock = javaScriptBlocks(record, reference);
    const boxes = record.boxes && { boxes: reference };
    return { nanosPerRow: REFERENCE_FACTOR * nanosPerRow, answerBlock, ...boxes };
  }

  /** Blocks of rows, from the plan's cache where they are kept there. */
  cachedBlocks(record: PlanRecord): AnswerBlock {
    const { cached } = record;
    if (cached === undefined) return sampledBlocks(record, (nanoseconds) => this.#blocks(record, nanoseconds));
    return (columns, rows, first, check) => cached.answerBlock(columns, rows, first, check);
  }

  fallback(record: ServedPlan): JavaScriptPlan {
    record.fallback ??= this.#interpreted(record, 'fallback', this.#partsOf(record));
    return record.fallback;
  }

  /** What stands around black boxes may go to executors. */
  #partsOf(record: ServedPlan): readonly PlanPart[] | undefined {
    const { segmentPlaces } = this.#parts;
    const { parts, boxes, compiled } = record;
    if (boxes === undefined || segmentPlaces === undefined) return parts?.list;
    return parts?.list.map((part) =>
      part instanceof NativeSegment ? new SegmentWork(part, record, compiled, segmentPlaces) : part,
    );
  }

  /** The addon does not tell how long its values are; JavaScript makes the same ones. A native plan does not keep what that takes. */
  forBytes(record: ServedPlan): JavaScriptPlan {
    return record.engine === 'javascript' ? this.fallback(record) : this.#interpreted(record, 'fallback');
  }

  #rowInJavaScript(record: PlanRecord, row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    const blocks = this.blocksOfRow(record, row, check);
    if (out === undefined) return answerFromBlocks(record.outputs, blocks, 0);
    numbersFromBlocks(record.outputs, blocks, 0, out, 0);
    return out;
  }

  #blocks(record: PlanRecord, nanoseconds?: Float64Array): AnswerBlock {
    return record.native === undefined
      ? javaScriptBlocks(record, this.fallback(record), nanoseconds)
      : nativeBlocks(record, this.kernels!, nanoseconds);
  }

  #interpreted(
    { name, compiled, maxInputBytes, boxes }: ServedPlan,
    mode: JavaScriptMode,
    parts?: readonly PlanPart[],
  ) {
    const { table, store, materialization } = this.#parts;
    checkStages(table, compiled);
    const results = mode === 'fallback' ? materialization?.inJavaScript : undefined;
    return new JavaScriptPlan({ ...compiled, name }, mode, table, store, maxInputBytes, parts, results, boxes);
  }
}
