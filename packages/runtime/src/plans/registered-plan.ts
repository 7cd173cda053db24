import type { CompiledPlan, InputPort, OutputPort, PlanEngine } from '@brezel/core';
import type { JavaScriptEngine } from '../execute/javascript-engine.js';
import type { PlanBoxes } from '../execute/plan-boxes.js';
import type { PlanParts } from '../execute/plan-parts.js';
import type { Scheduling } from '../parallel/executors/scheduling-options.js';
import type { OperatorDeadlines } from '../parallel/isolated/isolated-plan.js';
import type { Latencies } from '../telemetry/latencies.js';
import type { PlanStageTimes } from '../telemetry/plan-stage-times.js';
import type { StageClocks } from '../telemetry/stage-clocks.js';
import type { CatalogStage } from './catalog.js';

/** A plan in a runtime: what `register` returns and the prediction verbs take. */
export interface RegisteredPlan {
  readonly name: string;
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  /** The number of values that one row writes into an out-array. */
  readonly width: number;
  /**
   * `native`: one call into the addon runs the whole plan. `mixed`: stages without kernels run in
   * JavaScript, the other stages in the addon. `javascript`: no stage runs in the addon.
   */
  readonly engine: PlanEngine;
  /**
   * Estimated time of a row in nanoseconds, which decides whether a row runs at once or in slices.
   */
  readonly nanosPerRow: number;
}

/**
 * A plan as execution code sees it: engines, executors and devices. `PlanRecord` adds the features
 * in front of the plan.
 */
export interface ServedPlan extends RegisteredPlan {
  readonly compiled: CompiledPlan;
  readonly stages: readonly CatalogStage[];
  /** Handle of the plan in the addon; undefined when the addon does not run the whole plan. */
  readonly planHandle: number | undefined;
  /** The segments of a plan that is not native as a whole. */
  readonly parts: PlanParts | undefined;
  readonly maxInputBytes: number;
  readonly scheduling: Scheduling;
  /** Scratch memory for the numbers of one row, so that a prediction allocates only its answer. */
  readonly numbers: Float64Array;
  /** Name of the only input when it is one text: a fast path. */
  readonly textInput: string | undefined;
  /** The only input when it is one vector of floats: another fast path. */
  readonly floatInput: InputPort | undefined;
  /** The JavaScript engine of the plan, created on first use. */
  javascript: JavaScriptEngine | undefined;
  /** How the plan runs on workers, when an operator has a deadline. */
  readonly isolated: OperatorDeadlines | undefined;
  /** The black boxes of the plan. A plan with black boxes has asynchronous calls only. */
  boxes: PlanBoxes | undefined;
  /** Latencies of its predictions, when the runtime measures them. */
  latencies: Latencies | undefined;
  /** Times of its stages, when the runtime measures them. */
  stageTimes: PlanStageTimes | undefined;
  /** Clocks that measure the times of its stages. */
  stageClocks: StageClocks | undefined;
}
