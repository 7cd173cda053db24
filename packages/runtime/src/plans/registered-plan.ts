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
  /** Numbers that one row writes into an out-array. */
  readonly width: number;
  /**
   * `native`: the whole plan is one call into the addon. `mixed`: stages without kernels run in
   * JavaScript, those between in the addon. `javascript`: no stage can run in the addon, or there
   * is none.
   */
  readonly engine: PlanEngine;
  /**
   * What a row is expected to cost here, in nanoseconds: a rough estimate, which chooses between
   * running at once and in slices.
   */
  readonly nanosPerRow: number;
}

/**
 * A plan as those see it who run its rows: engines, executors, devices. What lies before them is in
 * the plan's record.
 */
export interface ServedPlan extends RegisteredPlan {
  readonly compiled: CompiledPlan;
  readonly stages: readonly CatalogStage[];
  /** Handle of the plan in the addon; undefined when the addon does not run the whole plan. */
  readonly planHandle: number | undefined;
  /** What runs it where it is not native as a whole. */
  readonly parts: PlanParts | undefined;
  readonly maxInputBytes: number;
  readonly scheduling: Scheduling;
  /** Scratch for the numbers of one row, so that a prediction allocates only its answer. */
  readonly numbers: Float64Array;
  /** Name of the only input, where that is one text: the fast way in. */
  readonly textInput: string | undefined;
  /** The only input, where that is one vector of floats: the other fast way in. */
  readonly floatInput: InputPort | undefined;
  /** The plan as JavaScript runs it, once somebody asked for that. */
  javascript: JavaScriptEngine | undefined;
  /** How it runs on workers, where an operator has a deadline. */
  readonly isolated: OperatorDeadlines | undefined;
  /** Models of other runtimes in it: then it is answered asynchronously only. */
  boxes: PlanBoxes | undefined;
  /** Times of its predictions, where the runtime measures them. */
  latencies: Latencies | undefined;
  /** Times of its stages, likewise. */
  stageTimes: PlanStageTimes | undefined;
  /** Clocks at its stages, which tell them. */
  stageClocks: StageClocks | undefined;
}
