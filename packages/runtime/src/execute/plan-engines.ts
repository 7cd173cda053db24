import type { Block, KernelTable } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { Materialization } from '../features/cache/materialization.js';
import type { FanOutEngines } from '../features/fan-out/answer-many.js';
import { type SegmentPlaces, SegmentWork } from '../parallel/executors/segment-work.js';
import type { KernelTarget } from '../plans/catalog.js';
import { checkStages } from '../plans/check-plan.js';
import { checkServed, type ServedPlan } from '../plans/registered-plan.js';
import { sampled, sampledBlocks } from '../telemetry/stage-clocks.js';
import type { AnswerBlock } from './answers/answer-block.js';
import {
  type Answer,
  answerFromBlocks,
  answerFromNumbers,
  numbersFromBlocks,
  type RowValues,
} from './answers/answers.js';
import { checkOut } from './answers/out-array.js';
import { javaScriptBlocks, nativeBlocks, runAtOnce } from './batch.js';
import { JavaScriptEngine } from './javascript-engine.js';
import type { RowKernels } from './native/native-kernels.js';
import { NativeSegment } from './native/native-segment.js';
import { runRow, runRows } from './native/request-response.js';
import { admit, type Column, type Row } from './rows/row-schema.js';
import type { CachedResults } from './stages/cached-results.js';
import type { PlanPart } from './work.js';

export interface EngineParts {
  readonly store: ObjectStore;
  readonly table: KernelTable;
  /** The kernels of the addon or in WebAssembly. */
  readonly target: KernelTarget | undefined;
  readonly materialization: Materialization | undefined;
  /** Returns the executors for a native segment of a plan with black boxes, or undefined. */
  readonly segmentPlaces?: SegmentPlaces;
}

/**
 * Runs plans on the calling thread: in one call to the kernels if these support the whole plan,
 * otherwise in JavaScript.
 */
export class PlanEngines implements FanOutEngines {
  /** The kernels of the addon or in WebAssembly, if any. */
  readonly kernels: RowKernels | undefined;
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.kernels = parts.target?.kernels;
  }

  /** Runs one row of a plan, without serving features such as the prediction cache. */
  executeRow(plan: ServedPlan, row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    if (plan.planHandle === undefined) return this.#javascriptAnswer(plan, row, out, check);
    const numbers = out ?? plan.numbers;
    this.nativeRow(plan, row, numbers);
    return out ?? answerFromNumbers(plan.outputs, numbers, 0);
  }

  /** Runs one row of a plan with a handle. Writes its numbers to `numbers`. */
  nativeRow(plan: ServedPlan, row: Row, numbers: Float64Array): void {
    const kernels = this.kernels!;
    if (plan.stageClocks === undefined) runRow(plan, row, numbers, kernels);
    else sampled(plan, 1, (nanoseconds) => runRow(plan, row, numbers, kernels, nanoseconds));
  }

  /** Runs one row of a plan without a handle. Returns one block for each output. */
  javascriptRow(plan: ServedPlan, row: Row, check?: () => void): Block[] {
    const engine = this.javascript(plan);
    const columns = admit(plan, [row]);
    checkServed(plan);
    return sampled(plan, 1, (clock) =>
      clock ? engine.runTimed(columns, 1, clock, 0, check) : engine.run(columns, 1, 0, check),
    );
  }

  /**
   * Runs rows without a pause, for measurements. Adds the time of each stage to `nanoseconds`, if
   * given.
   */
  executeRows(plan: ServedPlan, rows: readonly Row[], nanoseconds?: Float64Array): Answer[] {
    return runAtOnce(plan, rows, this.#blocks(plan, nanoseconds));
  }

  /**
   * Returns a function that answers the blocks of one batch. All blocks share one array for their
   * numbers.
   */
  blocksOf(plan: ServedPlan): AnswerBlock {
    return sampledBlocks(plan, (nanoseconds) => this.#blocks(plan, nanoseconds));
  }

  /**
   * Answers a block of rows. Returns new numbers from the kernels, or the blocks of a JavaScript
   * engine, which its next run overwrites.
   */
  valuesOf(
    plan: ServedPlan,
    columns: readonly Column[],
    rows: number,
    first: number,
    nanoseconds?: Float64Array,
  ): RowValues {
    if (plan.planHandle === undefined) {
      const engine = this.javascript(plan);
      return nanoseconds ? engine.runTimed(columns, rows, nanoseconds, first) : engine.run(columns, rows, first);
    }
    const numbers = new Float64Array(rows * plan.width);
    runRows(plan, columns, rows, numbers, this.kernels!, first, nanoseconds);
    return numbers;
  }

  /** Returns a function that answers blocks with a given JavaScript engine. */
  javascriptBlocks(engine: JavaScriptEngine): AnswerBlock {
    return javaScriptBlocks(engine);
  }

  /** Returns the JavaScript engine of a plan. The first call creates it, and the plan caches it. */
  javascript(plan: ServedPlan): JavaScriptEngine {
    plan.javascript ??= this.#interpreted(plan, this.#partsOf(plan), this.#parts.materialization?.inJavaScript);
    return plan.javascript;
  }

  /** Creates an engine that runs a plan with reference kernels. */
  reference(plan: ServedPlan): JavaScriptEngine {
    return this.#interpreted(plan);
  }

  /**
   * Returns a JavaScript engine with which the bytes of a plan's values can be measured. The addon
   * does not report the sizes of its values, but JavaScript computes the same values. For a native
   * plan, each call creates a new engine.
   */
  forBytes(plan: ServedPlan): JavaScriptEngine {
    return plan.engine === 'javascript' ? this.javascript(plan) : this.#interpreted(plan);
  }

  /**
   * Returns the segments of a plan. If the plan has black boxes, executors may run its native
   * segments.
   */
  #partsOf(plan: ServedPlan): readonly PlanPart[] | undefined {
    const { segmentPlaces } = this.#parts;
    const { parts, boxes, compiled } = plan;
    if (boxes === undefined || segmentPlaces === undefined) return parts?.list;
    return parts?.list.map((part) =>
      part instanceof NativeSegment ? new SegmentWork(part, plan, compiled, segmentPlaces) : part,
    );
  }

  #javascriptAnswer(plan: ServedPlan, row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    const blocks = this.javascriptRow(plan, row, check);
    if (out === undefined) return answerFromBlocks(plan.outputs, blocks, 0);
    checkOut(out, plan.width, plan.name);
    numbersFromBlocks(plan.outputs, blocks, 0, out, 0);
    return out;
  }

  #blocks(plan: ServedPlan, nanoseconds?: Float64Array): AnswerBlock {
    return plan.planHandle === undefined
      ? javaScriptBlocks(this.javascript(plan), nanoseconds)
      : nativeBlocks(plan, this.kernels!, nanoseconds);
  }

  #interpreted(
    { name, compiled, maxInputBytes, boxes }: ServedPlan,
    parts?: readonly PlanPart[],
    results?: CachedResults,
  ) {
    const { table, store } = this.#parts;
    checkStages(table, compiled);
    return new JavaScriptEngine({ ...compiled, name }, table, store, maxInputBytes, parts, results, boxes);
  }
}
