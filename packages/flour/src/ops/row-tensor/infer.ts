import { type ElementType, elementArray, elementCount, type Tensor, type TensorValue } from '@brezel/core';
import { MAX_COLUMNS } from '../../checks.js';
import type { OperatorUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { tensorFrom } from './carrier.js';
import { operatorOf, type RowTensorSpec } from './spec.js';
import { checkWork, inferenceWork } from './work.js';

/** The element type and shape of one output for a batch of one row. */
export interface TensorShape {
  readonly element: ElementType;
  readonly shape: readonly number[];
}

type Shapes = readonly (TensorShape | undefined)[];

const known = new Map<string, { readonly shapes: Shapes; readonly cost: number }>();
const MAX_KNOWN = 4096;

/**
 * Returns the types and shapes of the outputs of a tensor operator for one row, or undefined for an
 * output that is not a tensor. Runs the operator on zeros, because shapes in row programs do not
 * depend on values.
 *
 * @param parameters shapes of the constant operands, by the name `input<index>`.
 * @param take called with the number of elements before each allocation or computation. If the
 * result is cached, it is called once, with the sum of these numbers. An exception that it throws
 * ends the inference.
 * @throws ERR_FLOUR_PARAM, ERR_FLOUR_SIZE if operands and options do not match.
 */
export function inferTensors(
  spec: RowTensorSpec,
  parameters: OperatorUse['parameters'],
  take: (elements: number) => void = () => {},
): Shapes {
  const { element: _, shape: __, output: ___, ...operation } = spec;
  const shapes = Object.entries(parameters).map(([name, { dtype, shape }]) => [name, dtype, shape]);
  const key = JSON.stringify([operation, shapes]);
  const found = known.get(key);
  if (found !== undefined) {
    take(found.cost);
    return found.shapes;
  }
  let cost = 0;
  const inferred = runOnZeros(spec, parameters, (elements) => {
    cost += elements;
    take(elements);
  });
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, { shapes: inferred, cost });
  return inferred;
}

function runOnZeros(
  spec: RowTensorSpec,
  parameters: OperatorUse['parameters'],
  take: (elements: number) => void,
): Shapes {
  const operator = operatorOf(spec);
  const at = `row-tensor ${spec.operator}`;
  const fault = (received: string, expected: string, hint?: string) =>
    flourError('ERR_FLOUR_PARAM', { expected, received, at, ...(hint !== undefined && { hint }) });
  const filled = (value: 0 | 1) =>
    spec.operands.map((operand, index) => {
      if (operand === undefined) return undefined;
      if (operand.from === 'value') return tensorFrom(operand.element, operand.shape, valuesOf(operand));
      const shape = operand.from === 'row' ? operand.shape : parameters[`input${index}`]?.shape;
      if (shape === undefined) throw fault('no parameter', `the parameter input${index}`);
      take(elementCount(shape));
      return filledTensor(operand.element, shape, value);
    });
  const run = (inputs: readonly (TensorValue | undefined)[]) => {
    const { opset, outputs, options: attributes } = spec;
    return operator.run({ inputs, attributes, opset, outputs, budget: budget(take), fault, onlyShapes: true });
  };
  const zeros = filled(0);
  checkWork(spec, zeros);
  take(inferenceWork(spec, zeros));
  let results: readonly (TensorValue | undefined)[];
  try {
    results = run(zeros);
  } catch (error) {
    // Runs again on ones, because some operators reject zero, for example as a divisor.
    try {
      results = run(filled(1));
    } catch {
      throw error;
    }
  }
  return results.map((value) =>
    value === undefined || value.element === 'sequence' ? undefined : { element: value.element, shape: value.shape },
  );
}

/** Returns the integers of an operand with `from: 'value'` as a typed array of its element type. */
export function valuesOf({ element, data }: { element: ElementType; data: readonly number[] }) {
  if (element === 'string') throw flourError('ERR_FLOUR_PARAM', { received: 'texts as a value', at: 'row-tensor' });
  const array = elementArray(element, data.length);
  data.forEach((value, at) => {
    array[at] = (element === 'int64' || element === 'uint64' ? BigInt(value) : value) as never;
  });
  return array as never;
}

function filledTensor(element: ElementType, shape: readonly number[], value: 0 | 1): Tensor {
  const length = elementCount(shape);
  if (element === 'string') return { element, shape, data: new Array<string>(length).fill('') };
  const data = elementArray(element, length);
  if (value === 1) data.fill((element === 'int64' || element === 'uint64' ? 1n : 1) as never);
  return { element, shape, data } as unknown as Tensor;
}

/**
 * Returns a budget for one run of a tensor operator. `take` throws if the operator allocates too
 * many elements for one row.
 */
export function budget(take?: (elements: number) => void): { take(elements: number): void } {
  let left = 4 * MAX_COLUMNS;
  return {
    take(elements) {
      take?.(elements);
      left -= elements;
      if (left >= 0) return;
      throw flourError('ERR_FLOUR_SIZE', {
        expected: `at most ${4 * MAX_COLUMNS} elements in one operator`,
        received: `${elements} more`,
        at: 'row-tensor',
      });
    },
  };
}
