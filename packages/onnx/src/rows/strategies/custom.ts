import { type Attributes, type DType, dtypeOf, represents } from '@brezel/core';
import type { CustomInput, CustomOperator, Flow, Numbers } from '@brezel/flour';
import { onnxError } from '../../errors.js';
import { toNumber } from '../../proto/ints.js';
import type { RowNode } from '../row-node.js';
import {
  type ConstantValue,
  type GraphValue,
  product,
  type RowValue,
  reshapedFlow,
  rowShape,
  rowValue,
} from '../value.js';
import { customOf, isReadable } from './mapping.js';
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
    return attempted(flour, () => {
      checkInputs(node);
      checkOutputs(node);
      checkAttributes(node);
      const rows = node.inputs.filter((value): value is RowValue => value?.kind === 'row');
      const flows = rows.map((value, index) => inputFor(operator.inputs[index], value));
      const options = { attributes: node.options() as Attributes, parameters: parametersOf(operator, node) };
      return [rowValue(flour.custom(operator, flows as never, options as never))];
    });
  },
};

/**
 * Throws for an input that the operator cannot receive, and for an omitted input that another input
 * follows.
 */
function checkInputs({ inputs, at }: RowNode): void {
  const fail = (expected: string, received: string, hint: string) =>
    onnxError('ERR_ONNX_UNSUPPORTED', { expected, received, at, hint });
  const missing = inputs.findIndex((value, index) => value === undefined && index < inputs.length - 1);
  if (missing !== -1 && inputs.slice(missing).some((value) => value !== undefined))
    throw fail(
      'inputs of a custom operator without a gap',
      `no input ${missing}`,
      'only the last inputs of the node may be missing',
    );
  inputs.forEach((value, index) => {
    if (isReadable(value)) return;
    const dtype = value?.kind === 'row' ? dtypeOf(value.flow.type) : undefined;
    if (dtype === undefined || dtype === value!.element)
      throw fail(
        'inputs of a custom operator with rows along the first axis',
        layoutOf(value),
        'reshape or transpose the value in the file before this node',
      );
    throw fail(
      `input ${index} of an element type of custom operators`,
      value!.element,
      `add a Cast to ${dtype} before this node in the file`,
    );
  });
}

const layoutOf = (value: GraphValue | undefined): string =>
  value?.kind === 'row'
    ? `rows along axis ${value.batch.axis} of [${value.dims}]`
    : 'a constant that depends on the number of rows';

/** Throws for attributes that custom operators cannot receive unchanged. */
function checkAttributes({ protos, at }: RowNode): void {
  for (const { name, g, i, ints } of protos) {
    if (g !== undefined)
      throw onnxError('ERR_ONNX_UNSUPPORTED', {
        expected: 'numbers, texts and lists as attributes of a custom operator',
        received: `the graph ${name}`,
        at,
        hint: 'define an operator that does not need a graph',
      });
    if (i !== undefined) toNumber(i, `${at}, ${name}`);
    for (const value of ints) toNumber(value, `${at}, ${name}`);
  }
}

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
    constants.map((constant, index) => {
      const key = names[index]!;
      return [key, valuesFor(`${key} of ${parameters[key]}`, parameters[key]!, constant, at)];
    }),
  );
}

/** Returns the values of a constant. Throws if the type of the parameter changes a value. */
function valuesFor(expected: string, dtype: DType, { tensor, element }: ConstantValue, at: string) {
  // Programs store uint64 numbers as int64 numbers with the same bits.
  const isUnsigned = element === 'uint64' && tensor.dtype === 'int64';
  const values = isUnsigned ? BigUint64Array.from(tensor.data as BigInt64Array) : tensor.data;
  const isSame = !isUnsigned && tensor.dtype === dtype;
  const wrong = isSame ? -1 : Array.from<unknown>(values).findIndex((value) => !isExactly(value, dtype));
  if (wrong === -1) return values as Numbers | readonly string[];
  throw onnxError('ERR_ONNX_UNSUPPORTED', {
    expected,
    received: `${element}, with ${String(values[wrong])} at index ${wrong}`,
    at,
    hint: `declare the parameter in defineOperator with an element type that represents every ${element}, or convert the constant in the file`,
  });
}

const isExactly = (value: unknown, dtype: DType): boolean =>
  dtype === 'string' ? typeof value === 'string' : represents(dtype, value, 'exact');

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
