import type { Explanation } from './explanation.js';
import { viewPlans } from './plan-view.js';

/**
 * Formats EXPLAIN as JSON for tools. It contains the same information as the text. For one plan,
 * the JSON is the object of this plan. For several plans, it is an object with two fields: `models`
 * has the plans, and `fleet` has the stages and parameters that they share.
 */
export function explainAsJson(explanations: readonly Explanation[]): string {
  const { plans, fleet } = viewPlans(explanations);
  const models = plans.map((plan, index) => ({ ...plan, rules: rulesOf(explanations[index]!) }));
  return JSON.stringify(models.length === 1 ? models[0] : { models, fleet }, null, 2);
}

const rulesOf = ({ events }: Explanation) =>
  events.map(({ step, rule, micros }) => ({ step, rule, micros: Math.round(micros) }));
