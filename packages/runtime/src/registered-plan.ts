import type { CompiledPlan, InputPort, OutputPort } from '@brezel/core';
import type { CatalogStage } from './catalog.js';
import type { JavaScriptPlan } from './engines/javascript.js';

/** A plan in a runtime: what `register` returns and the prediction verbs take. */
export interface RegisteredPlan {
  readonly name: string;
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  /** Numbers that one row writes into an out-array. */
  readonly width: number;
  /** `native`: the whole plan is one call into the addon. `javascript`: some stage needs JavaScript, or there is no addon. */
  readonly engine: 'native' | 'javascript';
  /** What a row is expected to cost here, in nanoseconds: a rough estimate, which chooses between running at once and in slices. */
  readonly nanosPerRow: number;
}

/** What the runtime keeps of it. */
export interface PlanRecord extends RegisteredPlan {
  readonly compiled: CompiledPlan;
  readonly stages: readonly CatalogStage[];
  readonly native: number | undefined;
  readonly maxInputBytes: number;
  /** Scratch for the numbers of one row, so that a prediction allocates only its answer. */
  readonly numbers: Float64Array;
  /** Name of the only input, where that is one text: the fast way in. */
  readonly textInput: string | undefined;
  /** The only input, where that is one vector of floats: the other fast way in. */
  readonly floatInput: InputPort | undefined;
  /** The plan as JavaScript runs it, once somebody asked for that. */
  fallback: JavaScriptPlan | undefined;
}
