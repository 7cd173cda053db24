import { dtypeOf, sizeOf } from '@brezel/core';
import { type AffineMap, float32, linear, numbersOf } from '@brezel/flour';
import { plannedUse } from '../../infer.js';
import type { LogicalNode, LogicalPlan } from '../../logical-plan.js';
import { isOutput, nodeOf, repeatedInputs, usersOf } from '../../plan-index.js';
import { type RuleContext, rule } from '../../rule.js';

/**
 * Folds a scaler or idf weights into the weights and bias of a linear model, if only this model
 * reads the scaled features: `w · (x * s + o)` becomes `(w * s) · x + w · o`.
 *
 * This saves one pass over the features and one parameter.
 */
export const foldAffineIntoLinear = rule({
  name: 'fold-affine-into-linear',
  summary: 'folds a scaler or idf weights into the weights of the linear model that reads them',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'bottom-up',
  exact: false, // computes other products, and adds the offsets as part of the bias
  targets: (node) => node.operator === linear,
  apply(node, plan, context) {
    const repeated = repeatedInputs(node);
    for (const [branch, input] of node.inputs.entries()) {
      const source = nodeOf(plan, input);
      if (repeated.has(input) || !isReadOnlyBy(node, source, plan)) continue;
      const map = foldable(source, plan, context);
      if (map !== undefined) return folded(node, branch, source, map, plan, context);
    }
    return undefined;
  },
});

function isReadOnlyBy(node: LogicalNode, source: LogicalNode, plan: LogicalPlan): boolean {
  return !isOutput(plan, source.id) && usersOf(plan, source.id).every((user) => user === node);
}

/**
 * The largest absolute value of an offset that the rule folds. A larger offset would make the bias
 * so large that float32 sums lose too many digits.
 */
const MAX_RELATIVE_OFFSET = 256;

function foldable(source: LogicalNode, plan: LogicalPlan, context: RuleContext): AffineMap | undefined {
  if (source.operator?.affine === undefined || source.inputs.length !== 1) return undefined;
  const { type } = nodeOf(plan, source.inputs[0]!);
  if (type.kind === 'scalar' || dtypeOf(type) !== 'float32' || sizeOf(type) !== sizeOf(source.type)) return undefined;
  const map = source.operator.affine(plannedUse(source, plan, context));
  if (map === undefined || !map.scale.every(Number.isFinite)) return undefined;
  return map.offset.every((offset) => Math.abs(offset) <= MAX_RELATIVE_OFFSET) ? map : undefined;
}

function folded(
  node: LogicalNode,
  branch: number,
  source: LogicalNode,
  map: AffineMap,
  plan: LogicalPlan,
  context: RuleContext,
): LogicalPlan | undefined {
  const weights = node.parameters[`weights${branch}`]!;
  const key = `${source.operator!.name} ${JSON.stringify(source.attributes)} folded`;
  const from = [...Object.values(source.parameters), weights];
  const scaled = context.derive(`${key} into weights`, from, () =>
    float32(
      scaledWeights(numbersOf(context.parameter(weights)), sizeOf(source.type), map),
      context.info(weights).shape,
    ),
  );
  if (!numbersOf(context.parameter(scaled)).every((value) => Number.isFinite(value))) return undefined;
  const bias = shiftsBias(map)
    ? context.derive(`${key} into bias`, [...from, node.parameters.bias!], () =>
        float32(shiftedBias(node, weights, sizeOf(source.type), map, context)),
      )
    : node.parameters.bias!;
  const inputs = node.inputs.map((input, index) => (index === branch ? source.inputs[0]! : input));
  const parameters = { ...node.parameters, [`weights${branch}`]: scaled, bias };
  const nodes = plan.nodes
    .filter((other) => other.id !== source.id)
    .map((other) => (other === node ? { ...node, inputs, parameters } : other));
  return { ...plan, nodes };
}

const shiftsBias = ({ offset }: AffineMap) => offset.some((value) => value !== 0);
const column = (values: Float64Array, index: number) => values[values.length === 1 ? 0 : index]!;

/**
 * Returns the weights, each multiplied by the scale of its feature. The weights of a feature are
 * adjacent.
 */
function scaledWeights(weights: ArrayLike<number | bigint>, features: number, { scale }: AffineMap): Float32Array {
  const outputs = weights.length / features;
  return Float32Array.from(weights, (weight, index) => Number(weight) * column(scale, Math.floor(index / outputs)));
}

function shiftedBias(
  node: LogicalNode,
  weights: string,
  features: number,
  { offset }: AffineMap,
  context: RuleContext,
): Float32Array {
  const values = numbersOf(context.parameter(weights));
  const bias = Float64Array.from(numbersOf(context.parameter(node.parameters.bias!)), Number);
  for (let feature = 0; feature < features; feature++) {
    const shift = column(offset, feature);
    if (shift === 0) continue;
    for (let output = 0; output < bias.length; output++)
      bias[output] = bias[output]! + Number(values[feature * bias.length + output]) * shift;
  }
  return Float32Array.from(bias);
}
