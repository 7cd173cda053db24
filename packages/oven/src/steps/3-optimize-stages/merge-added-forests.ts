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
    const sum = forestsOf(node, plan);
    if (sum === undefined) return undefined;
    const { terms, additions } = sum;
    const [first] = terms as [LogicalNode];
    const alike = (term: LogicalNode) => term.inputs[0] === first.inputs[0] && sizeOf(term.type) === sizeOf(first.type);
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

interface ForestSum {
  readonly terms: readonly LogicalNode[];
  readonly additions: readonly LogicalNode[];
}

/**
 * Returns the terms of nested additions from left to right. Follows only additions whose result no
 * other node reads. Returns undefined if a term is not a forest, or is used twice.
 *
 * Looks at both inputs of an addition before it follows either one. Otherwise, the search would
 * walk to the start of a long sum at each of its additions.
 */
function forestsOf(node: LogicalNode, plan: LogicalPlan): ForestSum | undefined {
  const terms = new Set<LogicalNode>();
  const additions = new Set<LogicalNode>();
  const inputsOf = ({ inputs }: LogicalNode) => inputs.map((input) => nodeOf(plan, input)).reverse();
  const waiting = inputsOf(node);
  if (!waiting.every(isTerm)) return undefined;
  for (let input = waiting.pop(); input !== undefined; input = waiting.pop()) {
    const single = !isOutput(plan, input.id) && usersOf(plan, input.id).length === 1;
    // An addition that reads a value twice is not followed, because removing the value for one use
    // would break the other use.
    if (!single || terms.has(input) || additions.has(input)) return undefined;
    if (isForest(input)) terms.add(input);
    else {
      const inner = inputsOf(input);
      if (!inner.every(isTerm)) return undefined;
      additions.add(input);
      waiting.push(...inner);
    }
  }
  return { terms: [...terms], additions: [...additions] };
}

const isTerm = (node: LogicalNode): boolean => isForest(node) || isAddition(node);
