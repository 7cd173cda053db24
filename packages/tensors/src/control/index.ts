import type { NodeCall, TensorExecutable, TensorSteps } from '../executable.js';
import { bodyOf, flag } from './arguments.js';
import { atOnce } from './at-once.js';
import { runLoop } from './loop.js';
import { scan } from './scan.js';
import { scanBatch } from './scan-batch.js';
import { sequenceMap } from './sequence-map.js';

// Operators that run subgraphs. The reader of a graph limits the nesting of subgraphs, so recursion
// is bounded.

interface ControlOperator {
  readonly operator: string;
  /** The first and the last operator-set version of the standard domain that `run` supports. */
  readonly versions: readonly [number, number];
  readonly run: TensorExecutable;
}

/** The operators of ONNX that run subgraphs: control flow and SequenceMap. */
export const controlOperators: readonly ControlOperator[] = [
  { operator: 'If', versions: [1, 25], run: inSteps(runIf) },
  { operator: 'Loop', versions: [1, 25], run: inSteps(runLoop) },
  { operator: 'Scan', versions: [8, 8], run: inSteps(scanBatch) },
  { operator: 'Scan', versions: [9, 25], run: inSteps(scan) },
  { operator: 'SequenceMap', versions: [17, 25], run: inSteps(sequenceMap) },
];

export function controlOperator(domain: string, operator: string, opset: number): TensorExecutable | undefined {
  if (domain !== '') return undefined;
  return controlOperators.find(
    ({ operator: name, versions: [from, to] }) => name === operator && opset >= from && opset <= to,
  )?.run;
}

/**
 * Returns an executable for a node. A call of the executable runs the node without a pause, and its
 * function `steps` runs the node with pauses.
 */
function inSteps(steps: (call: NodeCall) => TensorSteps): TensorExecutable {
  return Object.assign((call: NodeCall) => atOnce(steps(call)), { steps });
}

function* runIf(call: NodeCall): TensorSteps {
  const branch = bodyOf(call, flag(call.inputs[0], 'condition', call) ? 'then_branch' : 'else_branch');
  const results = yield* branch.steps([]);
  if (results.length >= call.outputs) return results;
  throw call.fault(`a branch of ${results.length} outputs`, `a branch of at least ${call.outputs} outputs`);
}
