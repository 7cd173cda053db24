import type { NodeCall, TensorBody, TensorSteps } from '../executable.js';
import { normalizeAxis } from '../shapes.js';
import type { Tensor, TensorValue } from '../tensor.js';
import { bodyOf, given, tensorOf } from './arguments.js';
import { stackResults } from './results.js';
import { sliceAt } from './slices.js';

/**
 * Runs a Scan node: its body, over slices of some inputs. Each iteration passes its states to the
 * next one.
 */
export function* scan(call: NodeCall): TensorSteps {
  const body = bodyOf(call, 'body');
  return yield* scanOnce(readScan(call, body), body, call);
}

/** An input from which each iteration receives one slice, in forward or backward order. */
interface Sliced {
  readonly tensor: Tensor;
  readonly axis: number;
  readonly backward: boolean;
}

interface Scan {
  readonly states: readonly TensorValue[];
  readonly sliced: readonly Sliced[];
  readonly iterations: number;
  /**
   * For each collected output, the axis along which the results are stacked, and whether in reverse
   * order.
   */
  readonly outputs: readonly { readonly axis: number; readonly backward: boolean }[];
}

function readScan(call: NodeCall, body: TensorBody): Scan {
  const scanned = scannedInputs(call, call.inputs.length);
  const stateCount = call.inputs.length - scanned;
  const states = call.inputs.slice(0, stateCount).map((value, at) => given(value, at, call));
  const outputCount = body.results.length - stateCount;
  checkBody(call, body, call.inputs.length, stateCount);
  const axes = integers(call, 'scan_input_axes', scanned);
  const directions = integers(call, 'scan_input_directions', scanned);
  const sliced = call.inputs.slice(stateCount).map((value, at) => {
    const tensor = tensorOf(given(value, stateCount + at, call), call);
    return { tensor, axis: normalizeAxis(axes[at]!, tensor.shape.length, call), backward: directions[at] === 1 };
  });
  const outputAxes = integers(call, 'scan_output_axes', outputCount);
  const outputDirections = integers(call, 'scan_output_directions', outputCount);
  const outputs = outputAxes.map((axis, at) => ({ axis, backward: outputDirections[at] === 1 }));
  return { states, sliced, iterations: commonLength(sliced, call), outputs };
}

export function* scanOnce(
  { states, sliced, iterations, outputs }: Scan,
  body: TensorBody,
  call: NodeCall,
): TensorSteps {
  const collected: Tensor[][] = outputs.map(() => []);
  let values = states;
  for (let iteration = 0; iteration < iterations; iteration++) {
    const slices = sliced.map(({ tensor, axis, backward }) =>
      sliceAt(tensor, axis, backward ? tensor.shape[axis]! - 1 - iteration : iteration, call.budget),
    );
    const results = yield* body.steps([...values, ...slices]);
    values = results.slice(0, states.length).map((value, at) => given(value, at, call));
    collected.forEach((list, at) => {
      list.push(tensorOf(results[states.length + at], call));
    });
  }
  const joined = outputs.map(({ axis, backward }, at) => {
    const list = collected[at]!;
    return stackResults(backward ? list.toReversed() : list, axis, body.results[states.length + at]!, call);
  });
  return [...values, ...joined];
}

export function scannedInputs(call: NodeCall, inputs: number): number {
  const { num_scan_inputs: scanned } = call.attributes;
  if (typeof scanned === 'number' && scanned >= 1 && scanned <= inputs) return scanned;
  throw call.fault(`num_scan_inputs ${scanned}`, `num_scan_inputs from 1 to ${inputs}, the number of inputs`);
}

export function checkBody(call: NodeCall, body: TensorBody, inputs: number, states: number): void {
  if (body.inputs === inputs && body.results.length >= states) return;
  throw call.fault(
    `a body of ${body.inputs} inputs and ${body.results.length} outputs`,
    `a body of ${inputs} inputs and at least ${states} outputs`,
  );
}

/** Reads a list of `count` integers. A missing list is all zeros. */
export function integers(call: NodeCall, name: string, count: number): number[] {
  const list = call.attributes[name] ?? new Array<number>(count).fill(0);
  if (Array.isArray(list) && list.length === count && list.every(Number.isInteger)) return list as number[];
  throw call.fault(`${name} [${list}]`, `${count} integers in ${name}`);
}

export function commonLength(sliced: readonly Sliced[], call: NodeCall): number {
  const lengths = sliced.map(({ tensor, axis }) => tensor.shape[axis]!);
  const odd = lengths.find((length) => length !== lengths[0]);
  if (odd === undefined) return lengths[0]!;
  throw call.fault(`inputs of ${lengths[0]} and ${odd} slices`, 'scan inputs with equal numbers of slices');
}
