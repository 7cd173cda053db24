import { makeNode } from '../proto/make.js';
import type { NodeProto } from '../proto/schema.js';

/** The name of the output that contains all outputs of a box side by side. */
const JOINED = 'brezel:joined';

/**
 * The first version of ai.onnx whose Flatten accepts every element type. `joinedOutputs` needs it.
 */
export const JOINS_SINCE = 9;

/**
 * Returns nodes that join several outputs of a box into one output, because a stage has one result.
 * The first axis of each output counts the rows. A row of the result contains the row of each
 * output, one after another.
 */
export function joinedOutputs(outputs: readonly string[]): {
  readonly nodes: readonly NodeProto[];
  readonly output: string;
} {
  const lines = outputs.map((_, at) => `${JOINED}:${at}`);
  const flat = outputs.map((output, at) => makeNode('Flatten', [output], [lines[at]!], { axis: { i: 1 } }));
  return { nodes: [...flat, makeNode('Concat', lines, [JOINED], { axis: { i: 1 } })], output: JOINED };
}
