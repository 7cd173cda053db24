import { stringAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { isBig, numbers, roundTo } from '../elements.js';
import { type Equation, parseEquation } from '../equation.js';
import { groupsOf, overGroups, takeGroups } from '../groups.js';
import { type BigIntData, type NumberData, type Numeric, newData, sameInputs, tensorOf } from '../inputs.js';
import { interruptible } from '../pauses.js';
import { strided } from '../permute.js';
import { matrixProductSteps } from '../products.js';
import { shown, strides } from '../shapes.js';
import { elementCount } from '../tensor.js';

/** A tensor with distinct axis labels. */
interface Factor {
  readonly labels: readonly string[];
  readonly tensor: Numeric;
}

/**
 * Returns the size of each label. An axis of size 1 is broadcast to the size that the label has in
 * other operands.
 */
function sizesOf(equation: Equation, inputs: readonly Numeric[], call: TensorCall): Map<string, number> {
  const sizes = new Map<string, number>();
  equation.operands.forEach((labels, index) => {
    labels.forEach((label, axis) => {
      const [known = 1, size] = [sizes.get(label), inputs[index]!.shape[axis]!];
      if (known !== 1 && size !== 1 && known !== size)
        throw call.fault(
          `axes of ${known} and ${size} elements for the label ${label}`,
          'axes of equal size for each label',
        );
      sizes.set(label, size === 1 ? known : size);
    });
  });
  return sizes;
}

/**
 * Prepares an operand: takes the diagonal of repeated labels, and removes axes of size 1 that are
 * broadcast.
 */
function* factorOf(
  call: TensorCall,
  labels: readonly string[],
  tensor: Numeric,
  sizes: Map<string, number>,
): OperatorSteps<Factor> {
  const steps = new Map<string, number>();
  const own = strides(tensor.shape);
  labels.forEach((label, axis) => {
    if (tensor.shape[axis] === 1 && sizes.get(label) !== 1) return;
    steps.set(label, (steps.get(label) ?? 0) + own[axis]!);
  });
  const mixed = labels.find((label, axis) => tensor.shape[axis] === 1 && steps.has(label) && sizes.get(label) !== 1);
  if (mixed !== undefined)
    throw call.fault(
      `shape ${shown(tensor.shape)} for the labels ${labels.join('')}`,
      'axes of equal size for a repeated label',
    );
  const kept = [...steps.keys()];
  const shape = kept.map((label) => sizes.get(label)!);
  return { labels: kept, tensor: yield* strided(call, tensor, shape, [...steps.values()]) };
}

/** Transposes a factor, so that its axes have the labels `order`. */
function* ordered(call: TensorCall, { labels, tensor }: Factor, order: readonly string[]): OperatorSteps<Factor> {
  const own = strides(tensor.shape);
  const axes = order.map((label) => labels.indexOf(label));
  const pick = (list: readonly number[]) => axes.map((axis) => list[axis]!);
  return { labels: order, tensor: yield* strided(call, tensor, pick(tensor.shape), pick(own)) };
}

/** Sums over unused labels in index order, and rounds after each addition. */
function* summed(
  call: TensorCall,
  { labels, tensor }: Factor,
  needs: (label: string) => boolean,
): OperatorSteps<Factor> {
  const axes = labels.flatMap((label, axis) => (needs(label) ? [] : [axis]));
  if (axes.length === 0) return { labels, tensor };
  const groups = yield* groupsOf(tensor.shape, axes, call);
  takeGroups(call, groups);
  const { kept, starts, steps } = groups;
  const out = newData(call, tensor.element, kept) as NumberData & BigIntData;
  const data = tensor.data as unknown as NumberData;
  const sum = (group: number) => {
    for (let at = 0; at < steps.length; at++) out[group] = (out[group]! + data[starts[group]! + steps[at]!]!) as never;
  };
  yield* overGroups(call, groups, (from, to) => {
    for (let group = from; group < to; group++) sum(group);
  });
  return { labels: labels.filter(needs), tensor: tensorOf(tensor.element, kept, out) as Numeric };
}

/**
 * Combines two factors. A shared label is a batch axis if it is needed later, otherwise it is
 * summed.
 */
function* contracted(
  call: TensorCall,
  left: Factor,
  right: Factor,
  needs: (label: string) => boolean,
): OperatorSteps<Factor> {
  const both = left.labels.filter((label) => right.labels.includes(label));
  const [batch, inner] = [both.filter(needs), both.filter((label) => !needs(label))];
  const alone = (factor: Factor) => factor.labels.filter((label) => !both.includes(label));
  const [rows, columns] = [alone(left), alone(right)];
  const a = (yield* ordered(call, left, [...batch, ...rows, ...inner])).tensor;
  const b = (yield* ordered(call, right, [...batch, ...inner, ...columns])).tensor;
  const [leads, middles] = [a.shape.slice(0, batch.length + rows.length), a.shape.slice(batch.length + rows.length)];
  const trails = b.shape.slice(batch.length + inner.length);
  const count = {
    batches: elementCount(leads.slice(0, batch.length)),
    rows: elementCount(leads.slice(batch.length)),
    inner: elementCount(middles),
    columns: elementCount(trails),
  };
  const tensor = yield* matrixProductSteps(call, a, b, [...leads, ...trails], {
    ...count,
    left: (at) => at * count.rows * count.inner,
    right: (at) => at * count.inner * count.columns,
  });
  return { labels: [...batch, ...rows, ...columns], tensor };
}

/** Combines operands from left to right. Each pair is a batch of matrix products. */
function* einsum(call: TensorCall): OperatorSteps {
  const inputs = sameInputs(call, numbers) as Numeric[];
  const ranks = inputs.map(({ shape }) => shape.length);
  const equation = parseEquation(stringAttribute(call, 'equation'), ranks, call);
  const sizes = sizesOf(equation, inputs, call);
  const factors: Factor[] = [];
  for (const [index, labels] of equation.operands.entries())
    factors.push(yield* factorOf(call, labels, inputs[index]!, sizes));
  const needed = factors.map((_, index) => {
    const later = new Set([...equation.result, ...factors.slice(index + 1).flatMap(({ labels }) => labels)]);
    return (label: string) => later.has(label);
  });
  let total = yield* summed(call, factors[0]!, needed[0]!);
  for (const [before, factor] of factors.slice(1).entries()) {
    const { labels } = total;
    const others = (label: string) => needed[before + 1]!(label) || labels.includes(label);
    total = yield* contracted(call, total, yield* summed(call, factor, others), needed[before + 1]!);
  }
  const { element, shape, data } = (yield* ordered(call, total, equation.result)).tensor;
  return [tensorOf(element, shape, isBig(element) ? data : roundTo(element, data as NumberData))];
}

export const einsums = tensorOperators(
  interruptible({ domain: '', operator: 'Einsum', versions: [12, 25], steps: einsum }),
);
