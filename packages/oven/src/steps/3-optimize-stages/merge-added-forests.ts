import { sizeOf } from '@brezel/core';
import { arithmetic, mergeForests } from '@brezel/flour';
import { isOutput, type LogicalNode, type LogicalPlan, nodeOf, usersOf } from '../../logical-plan.js';
import { rule } from '../../rule.js';
import { forestOf, isForest, mergedForest } from '../forests.js';

/**
 * Replaces a sum of forests that read the same input by one forest with all trees. Bagging,
 * boosting, and voting over trees produce such sums.
 */
export const mergeAddedForests = rule({
  name: 'merge-added-forests',
  summary: 'merges forests with added scores into one forest',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'bottom-up', // at the last addition of a chain, all terms are visible
  exact: false, // adds all trees in one sum
  targets: isAddition,
  apply(node, plan, context) {
    const { terms, additions } = termsOf(node, plan);
    const [first] = terms as [LogicalNode];
    const alike = (term: LogicalNode) =>
      isForest(term) && term.inputs[0] === first.inputs[0] && sizeOf(term.type) === sizeOf(first.type);
    if (!terms.every(alike)) return undefined;
    const build = () =>
      mergeForests(
        terms.map((other) => forestOf(other, context)),
        'added',
      );
    const merged = { ...mergedForest('added', terms, context, build), id: node.id, type: node.type };
    const gone = new Set([...terms, ...additions]);
    const nodes = plan.nodes.flatMap((other) => (other === node ? [merged] : gone.has(other) ? [] : [other]));
    return { ...plan, nodes };
  },
});

function isAddition({ operator, attributes, inputs }: LogicalNode): boolean {
  return operator === arithmetic && attributes.operation === 'add' && inputs.length === 2;
}

/**
 * Returns the terms of nested additions from left to right. Follows only additions whose result no
 * other node reads.
 */
function termsOf(node: LogicalNode, plan: LogicalPlan): { terms: LogicalNode[]; additions: LogicalNode[] } {
  const terms: LogicalNode[] = [];
  const additions: LogicalNode[] = [];
  const waiting = [...node.inputs].reverse();
  while (waiting.length > 0) {
    const input = nodeOf(plan, waiting.pop()!);
    const single = !isOutput(plan, input.id) && usersOf(plan, input.id).length === 1;
    // An addition that reads a value twice is not followed, because removing the value for one use
    // would break the other use.
    const twice = terms.includes(input) || additions.includes(input);
    if (!single || twice) return { terms: [node], additions: [] };
    if (isAddition(input)) {
      additions.push(input);
      waiting.push(...[...input.inputs].reverse());
    } else {
      terms.push(input);
    }
  }
  return { terms, additions };
}
