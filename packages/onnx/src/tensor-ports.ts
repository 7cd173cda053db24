import type { TensorPort } from '@brezel/core';
import { onnxError } from './errors.js';
import { elementOf } from './proto/element-tensor.js';
import { dataTypeName, type TensorTypeProto, type ValueInfoProto } from './proto/schema.js';

/**
 * Returns the name, type and shape of an input or output. Parts that the file does not declare are
 * undefined.
 */
export function declaredPort({ name, type }: ValueInfoProto): TensorPort {
  const optional = type?.optionalType;
  const { tensorType, sequenceType } = (optional === undefined ? type : optional.elemType) ?? {};
  const nullable = optional !== undefined && { nullable: true as const };
  if (sequenceType === undefined) return { name, kind: 'tensor', ...tensorPart(tensorType), ...nullable };
  return { name, kind: 'sequence', ...tensorPart(sequenceType.elemType?.tensorType), ...nullable };
}

/**
 * Returns an input of the program. Throws if the file declares no type for it, or a type that
 * tensor programs do not support. Requests may omit an input of ONNX's type `optional`.
 */
export function inputPort(input: ValueInfoProto): TensorPort {
  const { name } = input;
  const type = input.type?.optionalType?.elemType ?? input.type;
  const tensor = type?.tensorType ?? type?.sequenceType?.elemType?.tensorType;
  if (tensor !== undefined && elementOf(tensor.elemType) !== undefined) {
    const port = declaredPort(input);
    return port.nullable ? { ...port, optional: true } : port;
  }
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
