import type { ServedPlan } from '../plans/registered-plan.js';
import type { JavaScriptPlan } from './javascript-plan.js';

/** Makes plans ready to be run in JavaScript. */
export interface Interpreter {
  /** The plan as JavaScript runs it: made when it is first asked for, kept with the plan. */
  fallback(plan: ServedPlan): JavaScriptPlan;
}
