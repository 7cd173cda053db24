import { tokensOrText } from '../../kinds.js';
import type { LogicalNode, LogicalPlan } from '../../logical-plan.js';
import { redirect } from '../../plan-changes.js';
import { rule } from '../../rule.js';
import { stageOrder } from '../../stage-order.js';

/**
 * Computes equal branches once. Branches are equal if their operators, attributes, parameters and
 * inputs are equal.
 *
 * Operators that return tokens or texts stay duplicated, because it is faster to compute tokens
 * again than to pass them to another stage. Branches with a custom operator are always merged,
 * because a custom operator must not be called twice.
 */
export const eliminateCommonBranches = rule({
  name: 'eliminate-common-branches',
  summary: 'computes equal branches once',
  step: 'optimize-stages',
  over: 'plan',
  exact: true,
  apply(plan, { budget }) {
    const first = new Map<string, LogicalNode>();
    const names = structuralNames(plan);
    for (const node of plan.nodes) {
      if (node.operator === undefined || isCheapText(node)) continue;
      const known = first.get(names.get(node.id)!);
      if (known === undefined) {
        first.set(names.get(node.id)!, node);
        continue;
      }
      const without = { ...plan, nodes: plan.nodes.filter((other) => other.id !== node.id) };
      const merged = redirect(without, node.id, known.id);
      if (stageOrder(merged) !== undefined) return merged;
      budget?.spend(plan.nodes.length);
      if (budget?.isSpent) return undefined;
    }
    return undefined;
  },
});

const nameOf = ({ operator, name }: LogicalNode) =>
  operator === undefined ? `input ${name}` : `${operator.name}, version ${operator.version}`;

const isCheapText = ({ operator, type }: LogicalNode) => tokensOrText(type) && !operator?.annotations.javascript;

/** Returns a name for each node. Nodes with the same name compute the same value. */
function structuralNames(plan: LogicalPlan): Map<number, string> {
  const names = new Map<number, string>();
  const numbers = new Map<string, string>();
  for (const node of plan.nodes) {
    const inputs = node.inputs.map((input) => names.get(input));
    const parameters = Object.entries(node.parameters).sort(([a], [b]) => (a < b ? -1 : 1));
    const use = JSON.stringify([nameOf(node), node.attributes, parameters, inputs]);
    const name = numbers.get(use) ?? `#${numbers.size}`;
    numbers.set(use, name);
    names.set(node.id, name);
  }
  return names;
}
