import type { Attributes, Block, ReferenceKernel } from '@brezel/core';
import { findOperator } from './custom/registry.js';
import { flourError } from './errors.js';
import type { Program, ProgramNode } from './program.js';

/**
 * Returns the deadline of a custom operator in milliseconds, or undefined if it has no deadline.
 */
export const operatorDeadline = (operator: string, version: number): number | undefined =>
  findOperator(operator, version)?.deadlineMs;

/** Returns whether the result of an operator may contain integers of its inputs unchanged. */
export function passesIntegers(operator: string, version: number, attributes: Attributes): boolean {
  const passes = findOperator(operator, version)?.annotations.passesIntegers ?? false;
  return typeof passes === 'function' ? passes(attributes) : passes;
}

/**
 * Returns the reference implementation of an operator, or undefined if `findOperator` does not find
 * the operator.
 */
export function referenceKernel(operator: string, version: number): ReferenceKernel | undefined {
  return findOperator(operator, version)?.reference;
}

/**
 * Runs a program without Oven: calls the reference implementation of one operator after another.
 * Tests compare the answers of every plan with its results.
 *
 * @param inputs one block per input, by name.
 * @returns one block per output, by name.
 * @throws ERR_FLOUR_NAME for a missing input.
 * @example runProgram(program, { text: strings(1, 1, ['a good film']) }).output
 */
export function runProgram(program: Program, inputs: Readonly<Record<string, Block>>): Record<string, Block> {
  const values = runNodes(program, inputs);
  return Object.fromEntries(program.outputs.map(({ name, node }) => [name, values.get(node)!]));
}

/** Runs a program and returns the value of every node. */
export function runNodes(program: Program, inputs: Readonly<Record<string, Block>>): Map<ProgramNode, Block> {
  const values = new Map<ProgramNode, Block>();
  const { store } = program.context;
  for (const input of program.inputs) {
    const block = inputs[input.name!];
    if (block === undefined)
      throw flourError('ERR_FLOUR_NAME', { expected: `input "${input.name}"`, at: program.name });
    values.set(input, block);
  }
  const rows = [...values.values()][0]?.rows ?? 0;
  for (const node of program.nodes()) {
    if (node.operator === undefined) continue;
    const parameters = Object.entries(node.parameters).map(([name, { id }]) => [name, store.get(id)] as const);
    const block = node.operator.reference({
      rows,
      inputs: node.inputs.map((input) => values.get(input)!),
      inputTypes: node.inputs.map((input) => input.type),
      type: node.type,
      attributes: node.attributes,
      parameters: Object.fromEntries(parameters),
    });
    values.set(node, block);
  }
  return values;
}
