import type { Explanation } from './explanation.js';
import { viewPlans } from './plan-view.js';

/** EXPLAIN for tools: the same facts as the text. One plan is an object; several are `models`, with what they share in `fleet`. */
export function explainAsJson(explanations: readonly Explanation[]): string {
  const { plans, fleet } = viewPlans(explanations);
  const models = plans.map((plan, at) => ({ ...plan, rules: rulesOf(explanations[at]!) }));
  return JSON.stringify(models.length === 1 ? models[0] : { models, fleet }, null, 2);
}

const rulesOf = ({ events }: Explanation) =>
  events.map(({ step, rule, micros }) => ({ step, rule, micros: Math.round(micros) }));
