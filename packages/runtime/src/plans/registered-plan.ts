import type { Answer, Clock, CompiledPlan, InputPort, OutputPort, PlanEngine, Row, Typed } from '@brezel/core';
import type { JavaScriptEngine } from '../execute/javascript-engine.js';
import type { NumberRow } from '../execute/native/number-memory.js';
import type { PlanBoxes } from '../execute/plan-boxes.js';
import type { PlanParts } from '../execute/plan-parts.js';
import type { Scheduling } from '../parallel/executors/scheduling-options.js';
import type { OperatorDeadlines } from '../parallel/isolated/isolated-plan.js';
import type { Latencies } from '../telemetry/latencies.js';
import type { PlanStageTimes } from '../telemetry/plan-stage-times.js';
import type { StageClocks } from '../telemetry/stage-clocks.js';
import type { CatalogStage } from './catalog.js';
import type { PlanSchemas } from './schemas/standard-schema.js';

/**
 * A plan in a runtime. `register` returns it, and the prediction verbs take it.
 *
 * @typeParam R the rows that the plan accepts. Default: any row.
 * @typeParam A the answers that the plan returns. Default: any answer.
 */
export interface RegisteredPlan<R = Row, A = Answer> extends Typed<R, A>, PlanSchemas<R> {
  readonly name: string;
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  /** The number of values that one row writes into an out-array. */
  readonly width: number;
  /**
   * Where the plan runs. `native`: one call to the addon runs the whole plan. `wasm`: one call to
   * the kernels in WebAssembly does, without the addon. `mixed`: stages without kernels run in
   * JavaScript, and the other stages in kernels. `javascript`: all stages run in JavaScript.
   */
  readonly engine: PlanEngine;
  /** Estimated nanoseconds of a row. `predict` runs a row immediately if this time is short. */
  readonly nanosPerRow: number;
}

/** A registered plan with any rows and answers. */
// biome-ignore lint/suspicious/noExplicitAny: accepts the types of every plan
export type AnyPlan = RegisteredPlan<any, any>;

/**
 * The view of a plan that execution code uses: engines, executors and devices. `PlanRecord` adds
 * the features in front of the plan.
 */
export interface ServedPlan extends RegisteredPlan {
  readonly compiled: CompiledPlan;
  readonly stages: readonly CatalogStage[];
  /** Handle of the plan among the kernels, or undefined if they cannot run the whole plan. */
  readonly planHandle: number | undefined;
  /** The segments of the plan. Undefined if one call to the kernels runs the whole plan. */
  readonly parts: PlanParts | undefined;
  readonly maxInputBytes: number;
  /** True if rows may have fields that are not inputs. */
  readonly ignoresExtraFields: boolean;
  readonly scheduling: Scheduling;
  /** The clock of the runtime, for latencies and slices of batches. */
  readonly clock: Clock;
  /** Scratch memory for the numbers of one row, so that a prediction allocates only its answer. */
  readonly numbers: Float64Array;
  /** Name of the only input, if it is one text. Single rows of such a plan have a fast path. */
  readonly textInput: string | undefined;
  /**
   * The only input, if it is one vector of floats. Single rows of such a plan have a separate fast
   * path.
   */
  readonly floatInput: InputPort | undefined;
  /**
   * How the numbers of a row are read into pinned memory. Set when the first row runs; null if
   * `numberRowOf` does not support the inputs or outputs of the plan.
   */
  numberRow: NumberRow | null | undefined;
  /** The JavaScript engine of the plan, created on first use. */
  javascript: JavaScriptEngine | undefined;
  /** The deadlines of the plan's operators. If this is set, the plan runs on isolated workers. */
  readonly isolated: OperatorDeadlines | undefined;
  /** The black boxes of the plan. A plan with black boxes supports only asynchronous calls. */
  boxes: PlanBoxes | undefined;
  /** Latencies of the plan's predictions. Undefined if the runtime does not measure them. */
  latencies: Latencies | undefined;
  /** Times of the plan's stages. Undefined if the runtime does not measure them. */
  stageTimes: PlanStageTimes | undefined;
  /** Clocks that measure the plan's stages. Undefined if the runtime does not measure stages. */
  stageClocks: StageClocks | undefined;
  /**
   * Creates the error for calls in flight of a removed plan. Undefined while the plan is
   * registered.
   */
  gone: (() => Error) | undefined;
}

/**
 * Throws if a plan was removed. Code that has read a caller's row calls this function before it
 * runs the row: a getter of the row may have removed the plan.
 *
 * @throws ERR_RUNTIME_UNKNOWN_PLAN, ERR_RUNTIME_CLOSED
 */
export function checkServed({ gone }: ServedPlan): void {
  if (gone !== undefined) throw gone();
}
