import { elementCount, type Tensor } from '@brezel/core';
import { type TensorAttributes, tensorOperator } from '@brezel/tensors';
import { onnxError } from '../errors.js';
import { constantByRows, tensorOf } from './constant.js';
import { type ConstantValue, dimsFor, type GraphValue, product, ROW_COUNTS } from './value.js';

/** Elements that constants may grow to while they are folded, each and together: two short ones broadcast to their product. */
export const MAX_FOLDED = 2 ** 24;

/** A node whose inputs are constant. */
export interface ConstantNode {
  readonly domain: string;
  readonly operator: string;
  readonly opset: number;
  options(): TensorAttributes;
  readonly inputs: readonly (ConstantValue | undefined)[];
  readonly outputs: readonly string[];
  readonly at: string;
  /** Counts what is made. @throws ERR_ONNX_LIMIT */
  take(elements: number): void;
}

/** Evaluates a node. Undefined where there is no such operator, or where it gives no tensor. */
export function foldNode(node: ConstantNode): readonly (ConstantValue | undefined)[] | undefined {
  const operator = tensorOperator(node.domain, node.operator, node.opset);
  if (operator === undefined || isRandom(node.operator)) return undefined;
  const counts = node.inputs.some((input) => input?.byRows !== undefined) ? ROW_COUNTS : ROW_COUNTS.slice(0, 1);
  const attributes = node.options();
  const results = counts.map((_, at) =>
    operator.run({
      inputs: node.inputs.map((input) => input && (input.byRows?.[at] ?? tensorOf(input.tensor, input.element))),
      attributes,
      opset: node.opset,
      outputs: node.outputs.length,
      budget: budgetOf(node),
      fault: (received, hint) =>
        onnxError('ERR_ONNX_SHAPE', { received, at: node.at, ...(hint !== undefined && { hint }) }),
    }),
  );
  for (const value of results.flat())
    if (value !== undefined && value.element !== 'sequence') node.take(elementCount(value.shape));
  const isTensor = (value: unknown): value is Tensor =>
    value !== undefined && (value as Tensor).element !== ('sequence' as never);
  return node.outputs.map((_, output) => {
    const values = results.map((result) => result[output]);
    return values.every(isTensor) ? constantByRows(values) : undefined;
  });
}

/** Operators also count what they make on their way. */
function budgetOf({ at }: ConstantNode): { take(elements: number): void } {
  let left = 4 * MAX_FOLDED;
  return {
    take(elements) {
      left -= elements;
      if (left < 0)
        throw onnxError('ERR_ONNX_LIMIT', { received: `a constant of more than ${MAX_FOLDED} elements`, at });
    },
  };
}

const isRandom = (operator: string) => /^(Random|Bernoulli|Multinomial)/.test(operator);

/** `Shape` and `Size` of a value of the row: constants that depend on the number of rows. */
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
