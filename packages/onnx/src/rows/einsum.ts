import type { NumericArray } from '@brezel/core';
import { multiplyMatrices } from '@brezel/flour';
import { parseEquation } from '@brezel/tensors';
import { MAX_MOVED, type Spender, stridedPlaces } from './moves.js';
import { type Factor, factorsOf } from './products.js';
import type { RowNode } from './row-node.js';
import { type Batch, product, type RowValue } from './value.js';

// Converts Einsum to the steps of its tensor definition: for each operand, sums over labels that no
// other operand needs, then batches of matrix products. Column selections reorder the axes, so sums
// add the same terms in the same order.

/** An operand of Einsum. Each label, which stands for an axis, occurs once. */
interface Term {
  readonly labels: readonly string[];
  readonly elements: Factor['elements'];
}

/**
 * Maps each label of an Einsum to the size of its axis. Also contains the budget from which the
 * conversion takes the lengths of its lists.
 */
interface Sizes extends Spender {
  get(label: string): number | undefined;
}

type Needs = (label: string) => boolean;

/**
 * Converts an Einsum node. Returns undefined if the sizes of the operands do not match, or if no
 * kernel computes the expression.
 */
export function summedRows(node: RowNode, batch: Batch): readonly RowValue[] | undefined {
  if (node.domain !== '' || node.operator !== 'Einsum') return undefined;
  const factors = factorsOf(node.inputs);
  if (factors === undefined) return undefined;
  const ranks = factors.map(({ dims }) => dims.length);
  // The equation is valid, because the rule has parsed it.
  const fault = (received: string) => new Error(received);
  const { operands, result } = parseEquation(node.attributes.string('equation'), ranks, { fault });
  const known = sizesOf(operands, factors);
  if (known === undefined) return undefined;
  const sizes: Sizes = { get: (label) => known.get(label), budget: node.budget, at: node.at };
  const terms = factors.map((factor, index) => termOf(operands[index]!, factor, sizes));
  const total = contractedInTurn(terms, result, sizes);
  const flow = total && ordered(total, result, sizes)?.elements;
  if (flow === undefined || !('context' in flow)) return undefined;
  return [
    { kind: 'row', flow, element: node.inputs[0]!.element, dims: result.map((label) => sizes.get(label)!), batch },
  ];
}

/**
 * Returns the size of the axis that each label stands for. If the axis has the size 1 in one
 * operand, the size of the other operands counts. Returns undefined if the sizes do not match.
 */
function sizesOf(
  operands: readonly (readonly string[])[],
  factors: readonly Factor[],
): Map<string, number> | undefined {
  const sizes = new Map<string, number>();
  for (const [index, labels] of operands.entries()) {
    for (const [axis, label] of labels.entries()) {
      const [known, size] = [sizes.get(label) ?? 1, factors[index]!.dims[axis]!];
      if (known !== 1 && size !== 1 && known !== size) return undefined;
      sizes.set(label, size === 1 ? known : size);
    }
  }
  return sizes;
}

/**
 * Returns an operand in which each label occurs once. If a label occurs twice, selects the diagonal
 * of its axes. Removes axes of size 1 that other operands broadcast. Returns undefined if two axes
 * with the same label have different sizes, or if more than `MAX_MOVED` elements must move.
 */
function termOf(labels: readonly string[], { dims, elements }: Factor, sizes: Sizes): Term | undefined {
  const steps = new Map<string, number>();
  const isRepeated = (label: string, axis: number) => dims[axis] === 1 && sizes.get(label) !== 1;
  for (const [axis, label] of labels.entries()) {
    if (!isRepeated(label, axis)) steps.set(label, (steps.get(label) ?? 0) + product(dims.slice(axis + 1)));
  }
  if (labels.some((label, axis) => isRepeated(label, axis) && steps.has(label))) return undefined;
  return selected(elements, [...steps.keys()], [...steps.values()], sizes);
}

/**
 * Selects elements of an operand. `steps` contains, for the axis of each label, the distance of
 * neighboring elements in `elements`. Returns undefined if more than `MAX_MOVED` elements must
 * move.
 */
function selected(
  elements: Factor['elements'],
  labels: readonly string[],
  steps: readonly number[],
  sizes: Sizes,
): Term | undefined {
  const dims = labels.map((label) => sizes.get(label)!);
  const isSame = steps.every((step, axis) => dims[axis] === 1 || step === product(dims.slice(axis + 1)));
  if (isSame) return { labels, elements };
  if (product(dims) > MAX_MOVED) return undefined;
  const places = stridedPlaces(dims, steps, sizes);
  if ('context' in elements) return { labels, elements: elements.selectColumns(places) };
  sizes.budget.list(places.length, sizes.at);
  const data = arrayLike(elements.data, places.length);
  places.forEach((from, at) => {
    data[at] = elements.data[from] as never;
  });
  return { labels, elements: { ...elements, shape: dims, data } as Factor['elements'] };
}

const arrayLike = (data: NumericArray, length: number): NumericArray =>
  new (data.constructor as new (length: number) => NumericArray)(length);

/**
 * Returns the operand with its axes in the order of the labels in `order`, or undefined if more
 * than `MAX_MOVED` elements must move.
 */
function ordered({ labels, elements }: Term, order: readonly string[], sizes: Sizes): Term | undefined {
  const dims = labels.map((label) => sizes.get(label)!);
  const steps = order.map((label) => product(dims.slice(labels.indexOf(label) + 1)));
  return selected(elements, order, steps, sizes);
}

/**
 * Sums the operand over the labels that no other operand and no result needs. Adds the elements in
 * ascending order.
 */
function summed(term: Term, needs: Needs, sizes: Sizes): Term | undefined {
  const remaining = term.labels.filter(needs);
  const others = term.labels.filter((label) => !needs(label));
  if (others.length === 0) return term;
  const groups = ordered(term, [...remaining, ...others], sizes)?.elements;
  const parts = product(remaining.map((label) => sizes.get(label)!));
  if (groups === undefined) return undefined;
  if ('context' in groups) return { labels: remaining, elements: groups.reduce('sum', { parts }) };
  sizes.budget.steps(groups.data.length, sizes.at);
  const sums = arrayLike(groups.data, parts);
  const size = groups.data.length / parts;
  groups.data.forEach((value, at) => {
    const group = Math.floor(at / size);
    // Storing the sum in the typed array rounds it, or wraps it around.
    sums[group] = ((sums[group] as number) + (value as number)) as never;
  });
  return { labels: remaining, elements: { ...groups, shape: [parts], data: sums } as Factor['elements'] };
}

/**
 * Combines all operands into one: first the first two operands, then their result with the third
 * operand, and so on.
 */
function contractedInTurn(
  [first, ...others]: readonly (Term | undefined)[],
  result: readonly string[],
  sizes: Sizes,
): Term | undefined {
  const later = (from: number) => new Set([...result, ...others.slice(from).flatMap((term) => term?.labels ?? [])]);
  let total = first && summed(first, (label) => later(0).has(label), sizes);
  for (const [index, term] of others.entries()) {
    const needed = later(index + 1);
    const [so, right] = [total, term];
    if (so === undefined || right === undefined) return undefined;
    const other = summed(right, (label) => needed.has(label) || so.labels.includes(label), sizes);
    total = other && contracted(so, other, (label) => needed.has(label), sizes);
  }
  return total;
}

/**
 * Combines two operands by a product of matrices. If both operands have a label that is needed
 * later, each value of the label has a separate product. Otherwise the product sums over the label.
 */
function contracted(left: Term, right: Term, needs: Needs, sizes: Sizes): Term | undefined {
  const both = left.labels.filter((label) => right.labels.includes(label));
  const [batch, inner] = [both.filter(needs), both.filter((label) => !needs(label))];
  const alone = ({ labels }: Term) => labels.filter((label) => !both.includes(label));
  const [rows, columns] = [alone(left), alone(right)];
  const a = ordered(left, [...batch, ...rows, ...inner], sizes)?.elements;
  const b = ordered(right, [...batch, ...inner, ...columns], sizes)?.elements;
  if (a === undefined || b === undefined || !('context' in a || 'context' in b)) return undefined;
  const count = (labels: readonly string[]) => product(labels.map((label) => sizes.get(label)!));
  const batches = count(batch) === 1 ? [] : [count(batch)];
  const steps = batches.map(() => 1);
  const plan = { batches, left: steps, right: steps, rows: count(rows), inner: count(inner), columns: count(columns) };
  return { labels: [...batch, ...rows, ...columns], elements: multiplyMatrices(a, b, plan) };
}
