import type { ServedPlan } from '../plans/registered-plan.js';
import type { RowValues } from './answers/answers.js';
import type { JavaScriptEngine } from './javascript-engine.js';
import type { Column } from './rows/row-schema.js';

/** The engines with which JavaScript executors run plans. */
export interface JavaScriptEngines {
  /**
   * Answers a block of rows on this thread. If `nanoseconds` is given, adds the time of each stage
   * to it.
   */
  valuesOf(
    plan: ServedPlan,
    columns: readonly Column[],
    rows: number,
    first: number,
    nanoseconds?: Float64Array,
  ): RowValues;
  /** Returns the JavaScript engine of a plan. The first call creates it, and the plan caches it. */
  javascript(plan: ServedPlan): JavaScriptEngine;
}
