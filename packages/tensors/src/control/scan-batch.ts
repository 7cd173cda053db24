import type { NodeCall, TensorSteps } from '../executable.js';
import { checkLengths } from '../sequence-lengths.js';
import { normalizeAxis } from '../shapes.js';
import { elementArray, elementCount, type Tensor, type TensorValue } from '../tensor.js';
import { bodyOf, given, tensorOf } from './arguments.js';
import { stackResults } from './results.js';
import { checkBody, commonLength, integers, scannedInputs, scanOnce } from './scan.js';
import { sliceAt } from './slices.js';

/**
 * Runs a Scan node of operator set 8. The first axis of every value is a batch axis. The node scans
 * each sequence of the batch separately, up to its length in `sequence_lens`. Outputs after the end
 * of a sequence are zero.
 */
export function* scanBatch(call: NodeCall): TensorSteps {
  const body = bodyOf(call, 'body');
  const [lengths, ...rest] = call.inputs;
  const scanned = scannedInputs(call, rest.length);
  const stateCount = rest.length - scanned;
  checkBody(call, body, rest.length, stateCount);
  const tensors = rest.map((value, at) => tensorOf(given(value, at + 1, call), call));
  const directions = integers(call, 'directions', scanned);
  for (const tensor of tensors) normalizeAxis(0, tensor.shape.length, call);
  const batch = tensors[0]?.shape[0] ?? 0;
  const odd = tensors.find((tensor) => tensor.shape[0] !== batch);
  if (odd !== undefined || batch === 0)
    throw call.fault(`batches of ${batch} and ${odd?.shape[0] ?? 0}`, 'inputs with one batch size, 1 or greater');
  const sequences = tensors.slice(stateCount);
  for (const tensor of sequences) normalizeAxis(1, tensor.shape.length, call);
  const longest = sequences[0]!.shape[1]!;
  const ends = sequenceLengths(lengths, batch, longest, call);

  const perEntry: Tensor[][] = [];
  for (const [entry, end] of ends.entries()) {
    const parts = tensors.map((tensor) => sliceAt(tensor, 0, entry, call.budget));
    const sliced = parts
      .slice(stateCount)
      .map((tensor, at) => ({ tensor: head(tensor, end), axis: 0, backward: directions[at] === 1 }));
    commonLength(sliced, call);
    const outputs = body.results.slice(stateCount).map(() => ({ axis: 0, backward: false }));
    const results = yield* scanOnce(
      { states: parts.slice(0, stateCount), sliced, iterations: end, outputs },
      body,
      call,
    );
    perEntry.push(
      results.map((value, at) => {
        const tensor = tensorOf(value, call);
        return at < stateCount ? tensor : padded(tensor, longest, call);
      }),
    );
  }
  return body.results.map((declared, at) =>
    stackResults(
      perEntry.map((results) => results[at]!),
      0,
      declared,
      call,
    ),
  );
}

function sequenceLengths(value: TensorValue | undefined, batch: number, longest: number, call: NodeCall): number[] {
  if (value === undefined) return new Array<number>(batch).fill(longest);
  if (value.element !== 'int64')
    throw call.fault(`sequence_lens of type ${value.element}`, 'sequence_lens of type int64');
  const lengths = Array.from(value.data, Number);
  checkLengths({ shape: [lengths.length], data: lengths }, batch, longest, call);
  return lengths;
}

/** Returns the first `length` entries of axis 0. */
function head(tensor: Tensor, length: number): Tensor {
  const inner = elementCount(tensor.shape.slice(1));
  return { ...tensor, shape: tensor.shape.with(0, length), data: tensor.data.slice(0, length * inner) } as Tensor;
}

/** Pads axis 0 with zeros or empty strings. */
function padded(tensor: Tensor, length: number, call: NodeCall): Tensor {
  if (tensor.shape[0] === length) return tensor;
  const shape = tensor.shape.with(0, length);
  call.budget.take(elementCount(shape));
  if (tensor.element === 'string') {
    return {
      ...tensor,
      shape,
      data: [...tensor.data, ...new Array(elementCount(shape) - tensor.data.length).fill('')],
    };
  }
  const data = elementArray(tensor.element, elementCount(shape));
  data.set(tensor.data as never);
  return { ...tensor, shape, data } as Tensor;
}
