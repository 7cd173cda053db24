import type { Tensor } from '@brezel/core';
import { type TensorAttributes, tensorOperator } from '@brezel/tensors';
import { onnxError } from '../errors.js';
import type { ImportBudget } from '../import-budget.js';
import { constantByRows, tensorOf } from './constant.js';
import { foldCost } from './fold-cost.js';
import { type ConstantValue, dimsFor, type GraphValue, product, ROW_COUNTS } from './value.js';

/** A node whose inputs are all constant. */
export interface ConstantNode {
  readonly domain: string;
  readonly operator: string;
  readonly opset: number;
  options(): TensorAttributes;
  readonly inputs: readonly (ConstantValue | undefined)[];
  readonly outputs: readonly string[];
  readonly at: string;
  readonly budget: ImportBudget;
}

/**
 * Evaluates a node with constant inputs. Returns undefined if the operator is unknown or random, or
 * if its result is not a tensor.
 */
export function foldNode(node: ConstantNode): readonly (ConstantValue | undefined)[] | undefined {
  const operator = tensorOperator(node.domain, node.operator, node.opset);
  if (operator === undefined || isRandom(node.operator)) return undefined;
  const counts = node.inputs.some((input) => input?.byRows !== undefined) ? ROW_COUNTS : ROW_COUNTS.slice(0, 1);
  const { budget, at } = node;
  const attributes = node.options();
  const results = counts.map((_, index) => {
    const inputs = node.inputs.map(
      (input) => input && (input.byRows?.[index] ?? tensorOf(input.tensor, input.element)),
    );
    const { steps, perElement } = foldCost(node.operator, attributes, inputs);
    budget.steps(steps, at);
    return operator.run({
      inputs,
      attributes,
      opset: node.opset,
      outputs: node.outputs.length,
      budget: { take: (elements) => budget.computed(elements, perElement, at) },
      fault: (received, expected, hint) =>
        onnxError('ERR_ONNX_SHAPE', { expected, received, at, ...(hint !== undefined && { hint }) }),
    });
  });
  const read = (value: Tensor | undefined) =>
    value?.element === ('sequence' as never) ? 0 : (value?.data.length ?? 0);
  budget.list(
    results.flat().reduce((sum, value) => sum + read(value as Tensor | undefined), 0),
    at,
  );
  const isTensor = (value: unknown): value is Tensor =>
    value !== undefined && (value as Tensor).element !== ('sequence' as never);
  return node.outputs.map((_, output) => {
    const values = results.map((result) => result[output]);
    return values.every(isTensor) ? constantByRows(values) : undefined;
  });
}

const isRandom = (operator: string) => /^(Random|Bernoulli|Multinomial)/.test(operator);

/**
 * Returns the result of the operator `Shape` or `Size` for a row value. The result depends on the
 * number of rows, so `byRows` contains the result for each number in `ROW_COUNTS`.
 */
export function shapeOfRows(
  operator: string,
  value: GraphValue | undefined,
  options: TensorAttributes,
): ConstantValue | undefined {
  if (value?.kind !== 'row' || value.dims === undefined) return undefined;
  const { dims, batch } = value;
  const byRows = ROW_COUNTS.map((rows): Tensor => {
    const sizes = dimsFor(dims, batch, rows);
    if (operator === 'Size') return { element: 'int64', shape: [], data: BigInt64Array.of(BigInt(product(sizes))) };
    const cut = sizes.slice(Number(options.start ?? 0), options.end === undefined ? undefined : Number(options.end));
    return { element: 'int64', shape: [cut.length], data: BigInt64Array.from(cut, BigInt) };
  });
  return constantByRows(byRows);
}
