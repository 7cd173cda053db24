import type { Attributes, AttributeValue } from '@brezel/core';
import { type ElementType, elementCount } from '@brezel/core';
import type { TensorAttributes, TensorOperator } from '@brezel/tensors';
import { tensorOperator } from '@brezel/tensors';
import { MAX_AXES, MAX_COLUMNS } from '../../checks.js';
import { flourError } from '../../errors.js';
import { carriers } from './carrier.js';

/**
 * The source of one input of a tensor operator: a value of the row, a parameter, or integers in the
 * program. Its shape is the shape in a batch of one row.
 */
export type TensorOperand =
  | { readonly from: 'row'; readonly element: ElementType; readonly shape: readonly number[] }
  | { readonly from: 'parameter'; readonly element: ElementType }
  /**
   * Constant integers that may determine the shape of the result. They are part of the program.
   */
  | {
      readonly from: 'value';
      readonly element: ElementType;
      readonly shape: readonly number[];
      readonly data: number[];
    };

/** One use of a tensor operator in a row program. */
export interface RowTensorSpec {
  readonly domain: string;
  readonly operator: string;
  readonly opset: number;
  readonly options: TensorAttributes;
  readonly operands: readonly (TensorOperand | undefined)[];
  /** The number of outputs that the ONNX node has. */
  readonly outputs: number;
  /** The index of the output that `row-tensor` returns. */
  readonly output: number;
  /** Element type of the result. */
  readonly element: ElementType;
  /** Axes of the result, without the row axis. */
  readonly shape: readonly number[];
}

/** Converts a use of a tensor operator to the attributes of `row-tensor`. */
export function writeSpec(spec: RowTensorSpec): Attributes {
  const { options, operands, ...plain } = spec;
  return {
    ...plain,
    options: Object.entries(options) as [string, AttributeValue][],
    operands: operands.map((operand) => {
      if (operand === undefined) return null;
      const { from, element } = operand;
      if (from === 'parameter') return [from, element];
      return from === 'row' ? [from, element, operand.shape] : [from, element, operand.shape, operand.data];
    }),
  };
}

const read = new WeakMap<Attributes, RowTensorSpec>();

/**
 * Parses the attributes of `row-tensor`. Checks only that they are well-formed; the caller checks
 * the shapes.
 *
 * @throws ERR_FLOUR_PARAM for malformed attributes.
 */
export function readSpec(attributes: Attributes): RowTensorSpec {
  const known = read.get(attributes);
  if (known !== undefined) return known;
  const spec = parseSpec(attributes);
  read.set(attributes, spec);
  return spec;
}

const bad = (what: string) => flourError('ERR_FLOUR_PARAM', { received: what, at: 'row-tensor' });

function parseSpec({ options, operands, ...rest }: Attributes): RowTensorSpec {
  const plain = rest as unknown as Omit<RowTensorSpec, 'options' | 'operands'>;
  const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 1024;
  if (!isCount(plain.outputs) || !isCount(plain.output) || plain.output >= plain.outputs) throw bad('no such output');
  if (!Array.isArray(options) || !Array.isArray(operands)) throw bad('no operands');
  return {
    ...plain,
    element: elementOf(plain.element),
    shape: shapeOf(plain.shape),
    options: Object.fromEntries(options as [string, AttributeValue][]),
    operands: operands.map(parseOperand),
  };
}

function parseOperand(given: AttributeValue): TensorOperand | undefined {
  if (given === null) return undefined;
  if (!Array.isArray(given)) throw bad('an operand of another form');
  const [from, element, shape, data] = given as readonly unknown[];
  if (from === 'parameter') return { from, element: elementOf(element) };
  if (from === 'row') return { from, element: elementOf(element), shape: shapeOf(shape) };
  const count = from === 'value' ? elementCount(shapeOf(shape)) : -1;
  if (!Array.isArray(data) || data.length !== count || !data.every(Number.isSafeInteger))
    throw bad('an operand of another form');
  return { from: 'value', element: elementOf(element), shape: shapeOf(shape), data };
}

function elementOf(element: unknown): ElementType {
  if (typeof element === 'string' && Object.hasOwn(carriers, element)) return element as ElementType;
  throw bad(`an element type ${String(element)}`);
}

function shapeOf(shape: unknown): readonly number[] {
  const sound =
    Array.isArray(shape) &&
    shape.length <= MAX_AXES + 1 &&
    shape.every((size) => Number.isInteger(size) && size >= 0) &&
    elementCount(shape) <= MAX_COLUMNS;
  if (sound) return shape;
  throw bad(`a shape [${String(shape)}]`);
}

/**
 * Returns the tensor operator that a use runs.
 *
 * @throws ERR_FLOUR_PARAM for an unknown operator.
 */
export function operatorOf({ domain, operator, opset }: RowTensorSpec): TensorOperator {
  const found = tensorOperator(domain, operator, opset);
  if (found !== undefined) return found;
  throw bad(`the operator ${domain || 'ai.onnx'}.${operator} of operator set ${opset}`);
}
