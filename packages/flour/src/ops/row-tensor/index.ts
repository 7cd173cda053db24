import { dtypeOf, elementCount, type ParameterValue, printType, sizeOf, tensor } from '@brezel/core';
import { ofKind, ofUsableSize } from '../../checks.js';
import type { FlourContext } from '../../context.js';
import { defineOp, type OperatorUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import type { Flow } from '../../flow.js';
import { carriers } from './carrier.js';
import { inferTensors } from './infer.js';
import { reference } from './reference.js';
import { operatorOf, type RowTensorSpec, readSpec, writeSpec } from './spec.js';

/**
 * Defines the operator `row-tensor`, which runs any tensor operator on one row at a time. An input
 * of the tensor operator is a parameter, constant integers, or a value of the row in the shape of a
 * batch with one row. A dedicated operator of Flour is faster.
 *
 * It has no kernel, because a kernel would need every tensor operator in C++. A frequent tensor
 * operator gets a dedicated operator of Flour with a kernel instead. The annotation `javascript`
 * puts `row-tensor` into a separate stage, so that the addon runs the neighboring operators.
 */
export const rowTensor = defineOp({
  name: 'row-tensor',
  version: 1,
  doc: {
    does: 'Runs a tensor operator in JavaScript on each row, as a batch of one row. The other stages of the plan stay in the addon.',
    types: 'values of the row → any axes of any type',
    attributes: {
      domain: 'domain of the operator',
      operator: 'name of the operator in ONNX',
      opset: 'operator set',
      options: 'attributes of the operator, by name',
      operands: 'source of each input (the row, a parameter, or integers of the program), with element type and shape',
      outputs: 'number of outputs',
      output: 'index of the output',
      element: 'element type of the result',
      shape: 'axes of the result without the row axis',
    },
    parameters: { 'input#': 'any type and shape, a constant input' },
  },
  attributes: {
    domain: 'infer',
    operator: 'infer',
    opset: 'count',
    options: 'infer',
    operands: 'infer',
    outputs: 'infer',
    output: 'infer',
    element: 'infer',
    shape: 'infer',
  },
  parameters: { 'input#': 'any' },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'none', discontinuous: true, javascript: true },
  infer(use) {
    const spec = readSpec(use.attributes);
    operatorOf(spec);
    checkOperands(spec, use);
    const result = inferTensors(spec, use.parameters)[spec.output];
    if (result?.element !== spec.element || elementCount(result.shape) !== elementCount(spec.shape)) {
      const received = result === undefined ? 'no tensor' : `${result.element}[${result.shape}]`;
      throw mismatch(spec, `${spec.element}[${spec.shape}]`, received);
    }
    return ofUsableSize(place(spec), tensor(carriers[spec.element], spec.shape));
  },
  reference,
  summary: ({ attributes }) => readSpec(attributes).operator,
  cost: ({ entries }) => 100 + 0.4 * entries.inputs.reduce((sum, count) => sum + count, entries.output),
});

const place = ({ operator }: RowTensorSpec) => `row-tensor ${operator}`;
const mismatch = (spec: RowTensorSpec, expected: string, received: string) =>
  flourError('ERR_FLOUR_SIZE', { expected, received, at: place(spec) });

/**
 * Checks that each operand of a use exists, and has the type and the number of elements that `spec`
 * declares.
 */
function checkOperands(spec: RowTensorSpec, { inputs, parameters }: OperatorUse): void {
  let next = 0;
  spec.operands.forEach((operand, index) => {
    if (operand === undefined || operand.from === 'value') return;
    const wanted = carriers[operand.element];
    if (operand.from === 'parameter') {
      const parameter = parameters[`input${index}`];
      if (parameter?.dtype !== wanted) throw mismatch(spec, `a parameter of ${wanted}`, parameter?.dtype ?? 'none');
      return;
    }
    const type = inputs[next++];
    if (type === undefined) throw mismatch(spec, 'an input', 'none');
    ofKind(place(spec), type, 'scalar', 'vector', 'tensor');
    if (dtypeOf(type) !== wanted || sizeOf(type) !== elementCount(operand.shape))
      throw mismatch(spec, `${wanted}[${operand.shape}]`, printType(type));
  });
  if (next !== inputs.length) throw mismatch(spec, `${next} inputs`, `${inputs.length}`);
}

/**
 * Applies a tensor operator to flows. `parameters` holds the constant operands. The name of a
 * parameter is `input` and the index of the operand, for example `input1`.
 */
export function applyRowTensor(
  flour: FlourContext,
  spec: RowTensorSpec,
  flows: readonly Flow[],
  parameters: Readonly<Record<string, ParameterValue>>,
): Flow {
  return flour.apply(rowTensor, flows, { attributes: writeSpec(spec), parameters });
}

export { carriers, tensorFrom, writeRow } from './carrier.js';
export { inferTensors, type TensorShape } from './infer.js';
export type { RowTensorSpec, TensorOperand } from './spec.js';
export { operatorWork } from './work.js';
