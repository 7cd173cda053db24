import type { ServedPlan } from '../registered-plan.js';
import type { JavaScriptPlan } from './javascript.js';

/** Makes plans ready to be run in JavaScript. */
export interface Interpreter {
  /** The plan as JavaScript runs it: made when it is first asked for, kept with the plan. */
  fallback(plan: ServedPlan): JavaScriptPlan;
}
