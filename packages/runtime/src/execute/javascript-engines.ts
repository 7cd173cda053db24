import type { ServedPlan } from '../plans/registered-plan.js';
import type { JavaScriptEngine } from './javascript-engine.js';

/** Makes plans ready to be run in JavaScript. */
export interface JavaScriptEngines {
  /** The plan as JavaScript runs it: made when it is first asked for, kept with the plan. */
  javascript(plan: ServedPlan): JavaScriptEngine;
}
