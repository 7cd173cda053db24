import type { TensorPort } from '@brezel/core';
import { onnxError } from './errors.js';
import { elementOf } from './proto/element-tensor.js';
import { dataTypeName, type TensorTypeProto, type ValueInfoProto } from './proto/schema.js';

/** What a file declares of an output, or of a value of a subgraph: as much as it says. */
export function declaredPort({ name, type }: ValueInfoProto): TensorPort {
  const sequence = type?.sequenceType?.elemType?.tensorType;
  if (sequence !== undefined) return { name, kind: 'sequence', ...tensorPart(sequence) };
  return { name, kind: 'tensor', ...tensorPart(type?.tensorType ?? type?.optionalType?.elemType?.tensorType) };
}

/** An input of the program: callers must know what to give. */
export function inputPort(input: ValueInfoProto): TensorPort {
  const { type, name } = input;
  const tensor = type?.tensorType ?? type?.sequenceType?.elemType?.tensorType;
  if (tensor !== undefined && elementOf(tensor.elemType) !== undefined) return declaredPort(input);
  throw onnxError('ERR_ONNX_UNSUPPORTED', {
    expected: 'a tensor, or a sequence of tensors, of a number, bool or string type',
    received: tensor ? dataTypeName(tensor.elemType) : 'another type',
    at: `input "${name}"`,
  });
}

function tensorPart(tensor: TensorTypeProto | undefined): Pick<TensorPort, 'element' | 'shape'> {
  return {
    element: tensor && elementOf(tensor.elemType),
    shape: tensor?.shape?.dim.map(({ dimValue, dimParam }) =>
      dimValue !== undefined && dimValue >= 0 ? dimValue : dimParam || null,
    ),
  };
}
