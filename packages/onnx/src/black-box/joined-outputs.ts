import { makeNode } from '../proto/make.js';
import type { NodeProto } from '../proto/schema.js';

/** The name of the output that concatenates several outputs. */
const JOINED = 'brezel:joined';

/** The version of ai.onnx from which Flatten accepts every element type. */
export const JOINS_SINCE = 9;

/**
 * Returns nodes that concatenate several outputs into one, row by row, so that one run of the box
 * computes all of them. The first axis of each output is the row.
 */
export function joinedOutputs(outputs: readonly string[]): {
  readonly nodes: readonly NodeProto[];
  readonly output: string;
} {
  const lines = outputs.map((_, at) => `${JOINED}:${at}`);
  const flat = outputs.map((output, at) => makeNode('Flatten', [output], [lines[at]!], { axis: { i: 1 } }));
  return { nodes: [...flat, makeNode('Concat', lines, [JOINED], { axis: { i: 1 } })], output: JOINED };
}
