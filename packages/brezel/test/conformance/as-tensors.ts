import type { Tensor, TensorValue } from '@brezel/core';
import { type FlourContext, tensorModels } from '@brezel/flour';
import { AttributeType, type NodeProto, readTensor } from '@brezel/onnx';
import { type TensorAttributes, tensorOperator } from '@brezel/tensors';

type AttributeProto = NodeProto['attribute'][number];

/**
 * Returns the outputs of a node in a tensor program, or undefined if tensor programs do not support
 * the operator.
 */
export function runAsTensors(
  node: NodeProto,
  inputs: readonly TensorValue[],
  opset: number,
  flour?: FlourContext,
): readonly (TensorValue | undefined)[] | undefined {
  const domain = node.domain as '' | 'ai.onnx.ml' | 'com.microsoft';
  const models = flour === undefined ? [] : tensorModels(flour);
  const operator =
    tensorOperator(domain, node.opType, opset) ??
    models.find((model) => model.domain === domain && model.operator === node.opType);
  return operator?.run({
    inputs,
    attributes: plainAttributes(node.attribute),
    opset,
    outputs: node.output.length,
    budget: { take: () => {} },
    fault: (received, hint) => new Error(`${node.opType}: ${received} (${hint})`),
  });
}

const plainAttributes = (attributes: readonly AttributeProto[]): TensorAttributes =>
  Object.fromEntries(attributes.map((attribute) => [attribute.name, plain(attribute)]));

function plain(attribute: AttributeProto): TensorAttributes[string] {
  switch (attribute.type) {
    case AttributeType.FLOAT:
      return attribute.f!;
    case AttributeType.INT:
      return Number(attribute.i);
    case AttributeType.STRING:
      return new TextDecoder().decode(attribute.s);
    case AttributeType.FLOATS:
      return [...attribute.floats];
    case AttributeType.INTS:
      return Array.from(attribute.ints, Number);
    case AttributeType.STRINGS:
      return attribute.strings.texts();
    case AttributeType.TENSOR: {
      const { dtype, shape, data } = readTensor(attribute.t!);
      return { element: dtype, shape, data } as Tensor;
    }
    default:
      throw new Error(`attribute ${attribute.name} of type ${attribute.type}`);
  }
}
