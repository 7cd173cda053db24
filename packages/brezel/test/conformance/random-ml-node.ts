import type { AttributeValue } from '@brezel/onnx';
import fc from 'fast-check';
import { type Column, type Comparison, type ElementType, mlNode } from './against-onnxruntime.js';

// Parts of random ai.onnx.ml nodes.

/** Multiples of 1/8, whose sums are exact in any order. */
export const tame = fc.integer({ min: -24, max: 24 }).map((value) => value / 8);
export const list = <T>(element: fc.Arbitrary<T>, length: number) =>
  fc.array(element, { minLength: length, maxLength: length });
export const whole = fc.integer({ min: -4, max: 4 });
export const rowsOf = (columns: number, element: fc.Arbitrary<number | string> = tame) =>
  fc.array(list(element, columns), { minLength: 1, maxLength: 7 });
export const column = (type: ElementType, rows: Column['rows']): Column => ({ type, rows });
export const floats = (...values: (number | readonly number[])[]): AttributeValue => ({ floats: values.flat() });
export const ints = (...values: (number | readonly number[])[]): AttributeValue => ({ ints: values.flat() });
export const strings = (...values: (string | readonly string[])[]): AttributeValue => ({ strings: values.flat() });
export const transforms = ['NONE', 'LOGISTIC', 'SOFTMAX', 'SOFTMAX_ZERO', 'PROBIT'] as const;

/** Random small models of one operator. */
export type Case = readonly [name: string, cases: fc.Arbitrary<Comparison>];

/** Returns a model with one node and one input. */
export const of = (
  operator: string,
  type: ElementType,
  rows: Column['rows'],
  attributes: Readonly<Record<string, AttributeValue>>,
  outputs: Readonly<Record<string, ElementType>>,
  more: Partial<Comparison> = {},
): Comparison => ({
  inputs: { x: column(type, rows) },
  nodes: [mlNode(operator, attributes, Object.keys(outputs))],
  outputs,
  ...more,
});

export const words = ['a', 'b', '', 'größer', 'a somewhat longer word than others'];
export const anyWord = fc.constantFrom(...words, 'unknown', 'A');
