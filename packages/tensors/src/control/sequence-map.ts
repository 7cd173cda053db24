import type { NodeCall, TensorSteps } from '../executable.js';
import type { Tensor, TensorValue } from '../tensor.js';
import { bodyOf, describe, given, tensorOf } from './arguments.js';

/**
 * Runs a SequenceMap node: its body, once for each position of the input sequences. Inputs that are
 * tensors are the same for all positions. Outputs are sequences.
 */
export function* sequenceMap(call: NodeCall): TensorSteps {
  const body = bodyOf(call, 'body');
  const inputs = call.inputs.map((value, at) => given(value, at, call));
  if (body.inputs !== inputs.length || body.results.length < call.outputs) {
    throw call.fault(
      `a body of ${body.inputs} inputs and ${body.results.length} outputs`,
      `a body of ${inputs.length} inputs and at least ${call.outputs} outputs`,
    );
  }
  const length = commonLength(inputs, call);
  const collected: Tensor[][] = body.results.map(() => []);
  for (let position = 0; position < length; position++) {
    const results = yield* body.steps(
      inputs.map((value) => (value.element === 'sequence' ? value.tensors[position] : value)),
    );
    collected.forEach((list, at) => {
      list.push(tensorOf(results[at], call));
    });
  }
  return collected.map((tensors) => ({ element: 'sequence', tensors }));
}

/** Returns the common length of the sequences. The first input must be a sequence. */
function commonLength([first, ...others]: readonly TensorValue[], call: NodeCall): number {
  if (first?.element !== 'sequence')
    throw call.fault(`a first input that is ${describe(first)}`, 'a sequence as the first input');
  const { length } = first.tensors;
  for (const other of others) {
    if (other.element !== 'sequence' || other.tensors.length === length) continue;
    throw call.fault(`sequences of ${length} and ${other.tensors.length} tensors`, 'sequences of equal length');
  }
  return length;
}
