import { dtypeOf, sizeOf } from '@brezel/core';
import { floatsOf, integersOf, type Lowering, type StepUse } from './lowering.js';
import { row } from './matrix.js';

// Lowers the operators around matrix products: functions of elements, selections of columns, and
// discrete results at the end.

const count = (use: StepUse) => {
  use.writer.flopsPerRow += sizeOf(use.type);
};

/**
 * Returns why an operator stays on the CPU if its first input is not float32, otherwise undefined.
 */
const otherNumbers = (what: string, { inputTypes }: Pick<StepUse, 'inputTypes'>) =>
  dtypeOf(inputTypes[0]!) === 'float32' ? undefined : `${what} of numbers other than float32`;

const functions: Readonly<Record<string, string>> = {
  exp: 'Exp',
  log: 'Log',
  sigmoid: 'Sigmoid',
  tanh: 'Tanh',
  relu: 'Relu',
  negate: 'Neg',
  abs: 'Abs',
  sqrt: 'Sqrt',
  reciprocal: 'Reciprocal',
  sign: 'Sign',
  floor: 'Floor',
  ceil: 'Ceil',
};

export const map: Lowering = {
  exact: false,
  attributes: ['function'],
  whyUnsupported: (use) =>
    functions[String(use.attributes.function)] ? otherNumbers('map', use) : `map of ${use.attributes.function}`,
  write(use) {
    count(use);
    return use.writer.node(functions[use.attributes.function as string]!, [use.inputs[0]!]);
  },
};

const operations: Readonly<Record<string, string>> = {
  add: 'Add',
  subtract: 'Sub',
  multiply: 'Mul',
  divide: 'Div',
  maximum: 'Max',
  minimum: 'Min',
};

export const arithmetic: Lowering = {
  exact: true,
  attributes: ['operation', 'side'],
  whyUnsupported: (use) =>
    operations[String(use.attributes.operation)] ? otherNumbers('arithmetic', use) : `${use.attributes.operation}`,
  write(use) {
    count(use);
    const operation = operations[use.attributes.operation as string]!;
    if (use.attributes.side === 'none') return use.writer.node(operation, use.inputs);
    const operand = row(use, 'operand', floatsOf(use, 'operand'));
    const pair = use.attributes.side === 'left' ? [operand, use.inputs[0]!] : [use.inputs[0]!, operand];
    return use.writer.node(operation, pair);
  },
};

export const scale: Lowering = {
  exact: true,
  whyUnsupported: (use) => otherNumbers('scale', use),
  write(use) {
    count(use);
    const difference = use.writer.node('Sub', [use.inputs[0]!, row(use, 'offset', floatsOf(use, 'offset'))]);
    return use.writer.node('Mul', [difference, row(use, 'factor', floatsOf(use, 'factor'))]);
  },
};

export const softmax: Lowering = {
  exact: false,
  defaults: { parts: 1 },
  write(use) {
    count(use);
    return use.writer.node('Softmax', [use.inputs[0]!], { axis: { i: 1 } });
  },
};

export const concat: Lowering = {
  exact: true,
  write: ({ writer, inputs }) => writer.node('Concat', inputs, { axis: { i: 1 } }),
};

export const selectColumns: Lowering = {
  exact: true,
  write(use) {
    const columns = integersOf(use, 'columns');
    const places = use.writer.constant('columns', 'int64', [columns.length], columns);
    return use.writer.node('Gather', [use.inputs[0]!, places], { axis: { i: 1 } });
  },
};

/**
 * Lowers argmax. The result equals the reference except for NaN. The reference selects NaN only if
 * it is the first element, but a backend may select any NaN.
 */
export const argMax: Lowering = {
  exact: true,
  defaults: { parts: 1 },
  whyUnsupported: (use) => otherNumbers('arg-max', use),
  jumps: true,
  write(use) {
    count(use);
    return use.writer.node('ArgMax', [use.inputs[0]!], { axis: { i: 1 }, keepdims: { i: 1 } });
  },
};

const INT64 = 7;

export const threshold: Lowering = {
  exact: true,
  attributes: ['threshold'],
  jumps: true,
  write(use) {
    count(use);
    const limit = use.writer.number(use.attributes.threshold as number);
    const isGreater = use.writer.node('Greater', [use.inputs[0]!, limit]);
    return use.writer.node('Cast', [isGreater], { to: { i: INT64 } });
  },
};
