import { sizeOf } from '@brezel/core';
import { arithmetic, float32 } from '@brezel/flour';
import { plannedUse } from '../../infer.js';
import type { LogicalNode, LogicalPlan } from '../../logical-plan.js';
import { replaceNode } from '../../plan-changes.js';
import { isOutput, nodeOf, usersOf } from '../../plan-index.js';
import { rule } from '../../rule.js';

/**
 * Combines two consecutive additions of constants, or two multiplications: `(x + a) + b` becomes `x
 * + (a + b)`, and `(x / a) * b` becomes `x * (b / a)`.
 *
 * Exporters often write such chains after a model, for example for shrinkage, averages and base
 * values.
 */
export const foldAffineChains = rule({
  name: 'fold-affine-chains',
  summary: 'combines two consecutive additions or multiplications of constants',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'bottom-up',
  exact: false, // rounds once instead of twice
  targets: (node) => node.operator === arithmetic && node.inputs.length === 1,
  apply(node, plan, context) {
    const before = nodeOf(plan, node.inputs[0]!);
    const single = usersOf(plan, before.id).length === 1 && !isOutput(plan, before.id);
    if (before.operator !== arithmetic || before.inputs.length !== 1 || !single) return undefined;
    const [first, second] = [before, node].map((affine) => affine.operator!.affine!(plannedUse(affine, plan, context)));
    if (first === undefined || second === undefined) return undefined;
    const size = sizeOf(node.type);
    const columnValue = (values: Float64Array, column: number) => values[values.length === 1 ? 0 : column]!;
    const shifts = [first, second].every(({ scale }) => scale.every((value) => value === 1));
    const scales = [first, second].every(({ offset }) => offset.every((value) => value === 0));
    // eliminate-identity handles an operator that does neither
    if (shifts === scales) return undefined;
    const both = Float32Array.from({ length: size }, (_, column) =>
      shifts
        ? columnValue(first.offset, column) + columnValue(second.offset, column)
        : columnValue(first.scale, column) * columnValue(second.scale, column),
    );
    if (!both.every(Number.isFinite)) return undefined;
    const operand = context.derive(
      `${shifts ? 'sum' : 'product'} of ${size} constants, ${describe(before)} then ${describe(node)}`,
      [before.parameters.operand!, node.parameters.operand!],
      () => float32(both.every((value) => value === both[0]) ? both.subarray(0, 1) : both),
    );
    return folded(plan, before, node, shifts ? 'add' : 'multiply', operand);
  },
});

const describe = ({ attributes }: LogicalNode) => `${attributes.operation} ${attributes.side}`;

function folded(plan: LogicalPlan, before: LogicalNode, node: LogicalNode, operation: string, operand: string) {
  const folded: LogicalNode = {
    ...node,
    operator: arithmetic,
    inputs: before.inputs,
    attributes: { operation, side: 'right' },
    parameters: { operand },
  };
  return replaceNode({ ...plan, nodes: plan.nodes.filter(({ id }) => id !== before.id) }, node.id, [folded]);
}
