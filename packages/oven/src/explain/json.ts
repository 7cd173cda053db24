import type { Explanation } from './explanation.js';
import { viewPlan } from './plan-view.js';

/** EXPLAIN for tools: the same facts as the text. */
export function explainAsJson(explanation: Explanation): string {
  const rules = explanation.events.map(({ step, rule, micros }) => ({ step, rule, micros: Math.round(micros) }));
  return JSON.stringify({ ...viewPlan(explanation), rules }, null, 2);
}
