import type { Tensor, TensorValue } from '@brezel/core';
import { admitTensors, type TensorInputs } from './admit-tensors.js';
import type { TensorsRecord } from './registered-tensors.js';

/** Outputs of one request by name. */
export type TensorOutputs = Readonly<Record<string, TensorValue>>;

/** Answers one request. The outputs are the caller's own: an operator may have handed on an input or a constant. */
export function runTensors({ program, limits }: TensorsRecord, inputs: TensorInputs): TensorOutputs {
  const values = program.run(admitTensors(program.inputs, inputs), limits);
  return Object.fromEntries(program.outputs.map(({ name }, at) => [name, ownedValue(values[at]!)]));
}

const ownedValue = (value: TensorValue): TensorValue =>
  value.element === 'sequence' ? { element: 'sequence', tensors: value.tensors.map(ownedTensor) } : ownedTensor(value);

const ownedTensor = ({ element, shape, data }: Tensor): Tensor =>
  ({ element, shape: [...shape], data: data.slice() }) as Tensor;
