import { optionNames, type Tensor, type TensorValue } from '@brezel/core';
import { admitTensors, type TensorInputs } from './admit-tensors.js';
import type { TensorsRecord } from './registered-tensors.js';

/** The outputs of one request by name. Absent outputs are not included. */
export type TensorOutputs = Readonly<Record<string, TensorValue>>;

export interface TensorCallOptions {
  /** If the signal aborts, a request that waits for a backend rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The names of the options of `predictTensors`. */
export const tensorCallOptionNames = optionNames<TensorCallOptions>({ signal: true });

/**
 * Answers one request. It copies outputs that are inputs or constants, because the caller owns the
 * outputs.
 */
export async function runTensors(
  { program, limits, kernels, stages }: TensorsRecord,
  inputs: TensorInputs,
  { signal }: TensorCallOptions,
): Promise<TensorOutputs> {
  signal?.throwIfAborted();
  const admitted = admitTensors(program.inputs, inputs);
  const values =
    stages === undefined
      ? program.run(admitted, limits, kernels)
      : await program.runLater(admitted, (box, boxInputs) => stages.run(box, boxInputs, signal), limits, kernels);
  return Object.fromEntries(
    program.outputs.flatMap(({ name }, at) => (values[at] === undefined ? [] : [[name, ownedValue(values[at])]])),
  );
}

const ownedValue = (value: TensorValue): TensorValue =>
  value.element === 'sequence' ? { element: 'sequence', tensors: value.tensors.map(ownedTensor) } : ownedTensor(value);

const ownedTensor = ({ element, shape, data }: Tensor): Tensor =>
  ({ element, shape: [...shape], data: data.slice() }) as Tensor;
