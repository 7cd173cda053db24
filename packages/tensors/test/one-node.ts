import { type ElementType, elementArray, type NumericElement, type Tensor, type TensorValue } from '@brezel/core';
import { type TensorAttributes, type TensorOperator, tensorOperator } from '@brezel/tensors';
import { expect, test } from 'vitest';

/** Returns a tensor of numbers or strings. Without `shape`, the tensor has one axis. */
export function tensor(element: ElementType, values: readonly (number | string)[], shape = [values.length]): Tensor {
  if (element === 'string') return { element, shape, data: values as readonly string[] };
  const data = elementArray(element, values.length);
  values.forEach((value, at) => {
    data[at] = (element === 'int64' || element === 'uint64' ? BigInt(value) : value) as never;
  });
  return { element: element as NumericElement, shape, data } as Tensor;
}

export const floats = (values: readonly number[], shape?: number[]) => tensor('float32', values, shape);
export const ints = (values: readonly number[], shape?: number[]) => tensor('int64', values, shape);
export const bools = (values: readonly number[], shape?: number[]) => tensor('bool', values, shape);
export const texts = (values: readonly string[], shape?: number[]) => tensor('string', values, shape);

/** Returns a sequence value that holds these tensors. */
export const list = (...tensors: Tensor[]): TensorValue => ({ element: 'sequence', tensors });

export interface OneNode {
  readonly attributes?: TensorAttributes;
  readonly opset?: number;
  readonly domain?: TensorOperator['domain'];
  /** Number of outputs that the node names; default 1. */
  readonly outputs?: number;
  /** Number of elements that the node may allocate; default 10,000. */
  readonly budget?: number;
}

/** Runs one operator and returns its outputs. */
export function run(operator: string, inputs: readonly (TensorValue | undefined)[], node: OneNode = {}) {
  const { attributes = {}, domain = '', outputs = 1 } = node;
  const opset = node.opset ?? { '': 25, 'ai.onnx.ml': 5, 'com.microsoft': 1, 'ai.onnx.preview.training': 1 }[domain];
  let left = node.budget ?? 10_000;
  const take = (elements: number) => {
    left -= elements;
    if (!(left >= 0)) throw new Error(`budget: ${elements} elements`);
  };
  const found = tensorOperator(domain, operator, opset);
  if (found === undefined) throw new Error(`no ${operator} ${opset}`);
  const fault = (received: string, expected: string) => new Error(`expected ${expected}, received ${received}`);
  return found.run({ inputs, attributes, opset, outputs, budget: { take }, fault });
}

/** The expected outputs in order, or a pattern that the message of the expected error matches. */
export type Expected = readonly (TensorValue | undefined)[] | RegExp;

export type NodeCase = readonly [
  name: string,
  inputs: readonly (TensorValue | undefined)[],
  expected: Expected,
  node?: OneNode,
];

/** Declares one test for each case. Outputs that a case does not list are not compared. */
export function nodeCases(operator: string, defaults: OneNode, cases: readonly NodeCase[]): void {
  for (const [name, inputs, expected, node] of cases) {
    test(`${operator}: ${name}`, () => {
      const act = () => run(operator, inputs, { ...defaults, ...node });
      if (expected instanceof RegExp) expect(act).toThrow(expected);
      else expect(act().slice(0, expected.length)).toEqual(expected);
    });
  }
}
