import {
  type Block,
  type DenseBlock,
  dense,
  dtypeOf,
  elementCount,
  type NumericArray,
  type NumericDType,
  numericArray,
  type ParameterValue,
  type ReferenceCall,
  type ReferenceKernel,
  RowError,
  type StringBlock,
  strings,
  type Tensor,
  type TensorValue,
} from '@brezel/core';
import { tensorFrom, writeRow } from './carrier.js';
import { budget, valuesOf } from './infer.js';
import { operatorOf, type RowTensorSpec, readSpec } from './spec.js';

/** Runs the tensor operator on each row separately, as a batch of one row. */
export const reference: ReferenceKernel = (call) => {
  const { rows, attributes, type } = call;
  const spec = readSpec(attributes);
  const operator = operatorOf(spec);
  const size = elementCount(spec.shape);
  const dtype = dtypeOf(type);
  const values: NumericArray | string[] =
    dtype === 'string' ? new Array<string>(rows * size) : numericArray(dtype as NumericDType, rows * size);
  const constants = constantsOf(spec, call.parameters);
  for (let row = 0; row < rows; row++) {
    const fault = (received: string, expected: string, hint?: string) =>
      new RowError(row, { expected, received: `${spec.operator}: ${received}`, ...(hint !== undefined && { hint }) });
    const results = operator.run({
      inputs: inputsOf(spec, call.inputs, constants, row),
      attributes: spec.options,
      opset: spec.opset,
      outputs: spec.outputs,
      budget: budget(),
      fault,
    });
    writeRow(resultOf(spec, results, size, fault), values, row * size);
  }
  return Array.isArray(values)
    ? strings(rows, size, values)
    : dense(dtype as NumericDType, rows, size, values as never);
};

/**
 * Returns the output that the use requests. Throws if its type or number of elements is not the
 * declared one, because these must not depend on the row.
 */
function resultOf(
  { output, element }: RowTensorSpec,
  results: readonly (TensorValue | undefined)[],
  size: number,
  fault: (received: string, expected: string) => Error,
): Tensor {
  const result = results[output];
  if (result === undefined || result.element !== element || elementCount(result.shape) !== size)
    throw fault(
      result === undefined ? 'no result' : `a result ${result.element}[${'shape' in result ? result.shape : ''}]`,
      `a result of ${size} ${element} elements`,
    );
  return result as Tensor;
}

type Operands = readonly (Tensor | undefined)[];

/** Returns the operands that are equal for all rows. Other operands are undefined. */
function constantsOf({ operands }: RowTensorSpec, parameters: ReferenceCall['parameters']): Operands {
  return operands.map((operand, index) => {
    if (operand?.from === 'value') return tensorFrom(operand.element, operand.shape, valuesOf(operand));
    if (operand?.from !== 'parameter') return undefined;
    const parameter = parameters[`input${index}`]!;
    return tensorFrom(operand.element, parameter.shape, elementsOf(parameter));
  });
}

const elementsOf = (value: ParameterValue) => (value.dtype === 'string' ? value.values : value.data);

function inputsOf({ operands }: RowTensorSpec, blocks: readonly Block[], constants: Operands, row: number): Operands {
  let next = 0;
  return operands.map((operand, index) => {
    if (operand?.from !== 'row') return constants[index];
    const { values, size } = blocks[next++] as DenseBlock | StringBlock;
    const own = Array.isArray(values)
      ? values.slice(row * size, (row + 1) * size)
      : (values as Float32Array).subarray(row * size, (row + 1) * size);
    return tensorFrom(operand.element, operand.shape, own);
  });
}
