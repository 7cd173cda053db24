import { sizeOf } from '@brezel/core';
import { linear, normalize, normalizedLinear } from '@brezel/flour';
import type { LogicalNode, LogicalPlan } from '../../logical-plan.js';
import { isOutput, nodeOf, usersOf } from '../../plan-index.js';
import { rule } from '../../rule.js';

/**
 * Divides the scores of a linear model by the norm of the row, instead of dividing every number of
 * the row: `w · (x / ‖x‖)` becomes `(w · x) / ‖x‖`. It applies to dense rows that only the model
 * reads.
 *
 * This saves a pass over the row, and needs one division for each score instead of one for each
 * feature. The rule applies to rows with at least 32 features and more features than scores. It
 * does not apply to sparse rows: they come from dictionaries in stages that pipelines share, and
 * there a row is divided once for all pipelines.
 */
export const foldNormalizeIntoLinear = rule({
  name: 'fold-normalize-into-linear',
  summary: 'divides the scores of a linear model by the norm instead of dividing the row: one pass less',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'bottom-up',
  exact: false, // divides the sum instead of its terms
  targets: (node) => node.operator === linear && node.inputs.length === 1,
  apply(node, plan) {
    const source = nodeOf(plan, node.inputs[0]!);
    if (source.operator !== normalize || !pays(source, node) || !isReadOnlyBy(node, source, plan)) return undefined;
    const { weights0: weights, bias } = node.parameters;
    const folded: LogicalNode = {
      ...node,
      operator: normalizedLinear,
      inputs: source.inputs,
      attributes: { norm: source.attributes.norm! },
      parameters: { weights: weights!, bias: bias! },
    };
    const nodes = plan.nodes.filter((other) => other !== source).map((other) => (other === node ? folded : other));
    return { ...plan, nodes };
  },
});

/**
 * The rule applies to rows with at least this many features, because shorter rows do not become
 * measurably faster. The rule saves 90 of 1200 ns for 64 features, and 150 of 2400 ns for 256
 * features.
 */
const LEAST_FEATURES = 32;

const pays = ({ type }: LogicalNode, linear: LogicalNode): boolean =>
  type.kind === 'vector' && sizeOf(type) >= LEAST_FEATURES && sizeOf(type) > sizeOf(linear.type);

const isReadOnlyBy = (node: LogicalNode, source: LogicalNode, plan: LogicalPlan): boolean =>
  !isOutput(plan, source.id) && usersOf(plan, source.id).every((user) => user === node);
