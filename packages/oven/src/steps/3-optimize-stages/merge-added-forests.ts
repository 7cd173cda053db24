import { sizeOf } from '@brezel/core';
import { arithmetic, mergeForests } from '@brezel/flour';
import type { LogicalNode, LogicalPlan } from '../../logical-plan.js';
import { isOutput, nodeOf, oncePer, usersOf } from '../../plan-index.js';
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
    if (!sumsOfForests(plan).has(node.id)) return undefined;
    const { terms, additions } = partsOfSum(node, plan);
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

/** A forest, or a sum of forests that can become one forest. */
interface Term {
  /** The node that all forests read. */
  readonly input: number;
  /** The number of scores of each forest. */
  readonly size: number;
}

/**
 * The additions whose terms are all forests with the same input and the same number of scores. The
 * key is the id of the addition. Nothing else may read a term or the result of an inner addition.
 *
 * Looks at each addition once, and reuses the results for its inputs. A separate search from each
 * addition would walk through a long sum many times.
 */
const sumsOfForests = oncePer('plan', (plan): ReadonlyMap<number, Term> => {
  const sums = new Map<number, Term>();
  const termOf = (id: number): Term | undefined => {
    if (isOutput(plan, id) || usersOf(plan, id).length !== 1) return undefined;
    const node = nodeOf(plan, id);
    return isForest(node) ? { input: node.inputs[0]!, size: sizeOf(node.type) } : sums.get(id);
  };
  for (const node of plan.nodes) {
    // An addition that reads a value twice is left out, because removing the value for one use
    // would break the other use.
    if (!isAddition(node) || node.inputs[0] === node.inputs[1]) continue;
    const [left, right] = node.inputs.map(termOf);
    if (left !== undefined && left.input === right?.input && left.size === right.size) sums.set(node.id, left);
  }
  return sums;
});

interface ForestSum {
  readonly terms: readonly LogicalNode[];
  readonly additions: readonly LogicalNode[];
}

/** Returns the forests of a sum from left to right, and its inner additions. */
function partsOfSum(node: LogicalNode, plan: LogicalPlan): ForestSum {
  const [terms, additions]: [LogicalNode[], LogicalNode[]] = [[], []];
  const inputsOf = ({ inputs }: LogicalNode) => inputs.map((input) => nodeOf(plan, input)).reverse();
  const waiting = inputsOf(node);
  for (let input = waiting.pop(); input !== undefined; input = waiting.pop()) {
    if (isForest(input)) terms.push(input);
    else {
      additions.push(input);
      waiting.push(...inputsOf(input));
    }
  }
  return { terms, additions };
}
