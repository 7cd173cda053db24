import type { ServedPlan } from '../plans/registered-plan.js';
import type { JavaScriptEngine } from './javascript-engine.js';

/** Creates the JavaScript engines of plans. */
export interface JavaScriptEngines {
  /** Returns the JavaScript engine of a plan. The first call creates it, and the plan caches it. */
  javascript(plan: ServedPlan): JavaScriptEngine;
}
