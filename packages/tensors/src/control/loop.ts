import type { NodeCall, TensorSteps } from '../executable.js';
import type { Tensor, TensorValue } from '../tensor.js';
import { bodyOf, describe, flag, tensorOf } from './arguments.js';
import { stackResults } from './results.js';

/**
 * Runs a Loop node: its body, until the trip count is reached or the condition is false. Each
 * iteration passes the carried values to the next one. For each other output of the body, the
 * results of all iterations are collected.
 */
export function* runLoop(call: NodeCall): TensorSteps {
  const body = bodyOf(call, 'body');
  const [trips, condition, ...carried] = call.inputs; // carried values may be absent
  const most = tripCount(trips, call);
  const scanned = body.results.slice(1 + carried.length);
  if (body.inputs !== 2 + carried.length || body.results.length < 1 + carried.length) {
    throw call.fault(
      `a body of ${body.inputs} inputs and ${body.results.length} outputs`,
      `a body of ${2 + carried.length} inputs and at least ${1 + carried.length} outputs for ${carried.length} carried values`,
    );
  }
  const collected: Tensor[][] = scanned.map(() => []);
  let values: readonly (TensorValue | undefined)[] = carried;
  let goesOn = condition === undefined || flag(condition, 'condition', call);
  for (let iteration = 0; goesOn && iteration < most; iteration++) {
    const results = yield* body.steps([int64(iteration), bool(goesOn), ...values]);
    // The condition ends the loop even if the node has no initial condition, as in onnxruntime and
    // ONNX's evaluator. The text of the ONNX specification ignores the condition in this case.
    goesOn = flag(results[0], 'condition', call);
    values = results.slice(1, 1 + carried.length);
    collected.forEach((list, at) => {
      list.push(tensorOf(results[1 + carried.length + at], call));
    });
  }
  return [...values, ...collected.map((list, at) => stackResults(list, 0, scanned[at]!, call))];
}

/** Returns the maximum number of iterations. A missing input means no limit. */
function tripCount(value: TensorValue | undefined, call: NodeCall): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  if (value.element === 'int64' && value.data.length === 1) return Number(value.data[0]);
  throw call.fault(`a trip count that is ${describe(value)}`, 'one int64 as the trip count');
}

const int64 = (value: number): Tensor => ({ element: 'int64', shape: [], data: BigInt64Array.of(BigInt(value)) });
const bool = (value: boolean): Tensor => ({ element: 'bool', shape: [], data: Uint8Array.of(value ? 1 : 0) });
