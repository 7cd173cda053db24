import type { Attributes } from '@brezel/core';
import type { CustomInput, CustomOperator, Flow, Numbers } from '@brezel/flour';
import { onnxError } from '../../errors.js';
import type { RowNode } from '../row-node.js';
import { type ConstantValue, product, type RowValue, reshapedFlow, rowShape, rowValue } from '../value.js';
import { customOf, isReadable, UNREADABLE } from './mapping.js';
import { attempted, type Strategy, unsupported } from './strategy.js';

/**
 * Converts a node to the operator that the user defined for its domain and name. Values of the row
 * are the inputs of the operator. Constants are its parameters, in the order of the definition.
 */
export const customOperator: Strategy = {
  name: 'custom operator',
  convert(node, { flour }) {
    const operator = customOf(node);
    if (operator === undefined) return unsupported('no custom operator of this name and version');
    if (!node.inputs.every(isReadable)) return unsupported(UNREADABLE);
    return attempted(flour, () => {
      checkOutputs(node);
      const rows = node.inputs.filter((value): value is RowValue => value?.kind === 'row');
      const flows = rows.map((value, index) => inputFor(operator.inputs[index], value));
      const options = { attributes: node.options() as Attributes, parameters: parametersOf(operator, node) };
      return [rowValue(flour.custom(operator, flows as never, options as never))];
    });
  },
};

/** Returns the flow in the form of a number, text or vector, as the operator declares the input. */
function inputFor(name: CustomInput | undefined, { flow, dims, batch }: RowValue): Flow {
  if (name === undefined || dims === undefined) return flow;
  const size = product(rowShape(dims, batch));
  if (name.includes('[')) return reshapedFlow(flow, [size]);
  return size === 1 ? reshapedFlow(flow, []) : flow;
}

function parametersOf({ name, parameters }: CustomOperator, { inputs, at }: RowNode) {
  const constants = inputs.filter((value): value is ConstantValue => value?.kind === 'constant');
  const names = Object.keys(parameters);
  if (constants.length > names.length)
    throw onnxError('ERR_ONNX_UNSUPPORTED', {
      expected: `${names.length} constant inputs, one for each parameter of ${name}`,
      received: `${constants.length}`,
      at,
      hint: 'a constant input of the node becomes a parameter of the operator: declare it in defineOperator',
    });
  return Object.fromEntries(
    constants.map(({ tensor }, index) => [names[index]!, tensor.data as Numbers | readonly string[]]),
  );
}

/**
 * Throws unless the first output is the only used output, because a custom operator returns one
 * value.
 */
function checkOutputs({ outputs, at }: RowNode): void {
  const used = outputs.filter((name) => name !== '');
  if (used.length === 1 && outputs[0] !== '') return;
  throw onnxError('ERR_ONNX_UNSUPPORTED', {
    expected: 'one output of a custom operator',
    received: `outputs ${JSON.stringify(used)}`,
    at,
    hint: 'define one operator for each output, or return a vector and split it',
  });
}
