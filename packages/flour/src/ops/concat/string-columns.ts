import { dtypeOf, sizeOf } from '@brezel/core';
import { Flow } from '../../flow.js';
import type { ProgramNode } from '../../program.js';
import '../row-shape/index.js';

/**
 * Returns the text flows from which a vector of strings was concatenated. Returns an empty list for
 * a vector of numbers, and if a part of the vector is not a single text. Operators that process
 * each column alone read these texts, so that no vector of strings is built.
 */
export function stringColumns(flow: Flow<'vector'>): Flow<'text'>[] {
  if (dtypeOf(flow.type) !== 'string') return [];
  const nodes = textNodes(flow.node);
  return (nodes ?? []).map((node) => {
    const text = new Flow(flow.context, node);
    return text.kind === 'vector'
      ? (text as Flow<'vector', unknown, readonly string[]>).asScalar()
      : (text as Flow<'text'>);
  });
}

function textNodes(node: ProgramNode): ProgramNode[] | undefined {
  if (node.operator?.name === 'row-shape') return textNodes(node.inputs[0]!);
  if (node.operator?.name === 'concat') {
    const parts = node.inputs.map(textNodes);
    return parts.some((part) => part === undefined) ? undefined : parts.flatMap((part) => part!);
  }
  return sizeOf(node.type) === 1 ? [node] : undefined;
}
