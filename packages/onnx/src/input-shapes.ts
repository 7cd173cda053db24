import { onnxError } from './errors.js';
import type { DimensionProto, GraphProto, ModelProto, ValueInfoProto } from './proto/schema.js';

/**
 * Sizes of input axes for which a file declares no size. Null does not change an axis: `{ x: [null,
 * 3] }` sets rows of three numbers.
 */
export type InputShapes = Readonly<Record<string, readonly (number | null)[]>>;

/**
 * Returns the model with the sizes of `shapes` in the declarations of its inputs.
 *
 * @throws ERR_ONNX_OPTION for an unknown input, for another number of axes, and for a size that
 * differs from the declared size.
 */
export function withInputShapes(model: ModelProto, shapes: InputShapes = {}): ModelProto {
  if (typeof shapes !== 'object' || shapes === null || Array.isArray(shapes))
    throw onnxError('ERR_ONNX_OPTION', { expected: 'an object of shapes', received: String(shapes), at: 'shapes' });
  const names = Object.keys(shapes);
  if (names.length === 0 || model.graph === undefined) return model;
  const weights = new Set(model.graph.initializer.map(({ name }) => name));
  const inputs = model.graph.input.filter(({ name }) => !weights.has(name)).map(({ name }) => name);
  const unknown = names.find((name) => !inputs.includes(name));
  if (unknown !== undefined)
    throw onnxError('ERR_ONNX_OPTION', {
      expected: `one of the inputs ${inputs.join(', ')}`,
      received: JSON.stringify(unknown),
      at: 'shapes',
      hint: 'brezel inspect lists the inputs of a model',
    });
  return withInputs(model, (input) =>
    Object.hasOwn(shapes, input.name) ? withSizes(input, shapes[input.name]!) : input,
  );
}

/**
 * Returns a copy of the model in which the result of `change` replaces the declaration of each
 * input.
 */
export function withInputs(model: ModelProto, change: (input: ValueInfoProto) => ValueInfoProto): ModelProto {
  const graph: GraphProto = model.graph!;
  return { ...model, graph: { ...graph, input: graph.input.map(change) } };
}

function withSizes(input: ValueInfoProto, sizes: readonly (number | null)[]): ValueInfoProto {
  const fail = (expected: string, received: string) =>
    onnxError('ERR_ONNX_OPTION', {
      expected,
      received,
      at: `shapes.${input.name}`,
      hint: 'a shape is a list with a size, or null, for each axis: { x: [null, 3] }',
    });
  if (!Array.isArray(sizes) || !sizes.every((size) => size === null || (Number.isSafeInteger(size) && size > 0)))
    throw fail('a list of positive whole numbers and null', JSON.stringify(sizes) ?? 'undefined');
  const tensor = input.type?.tensorType;
  if (tensor === undefined) throw fail('a tensor', 'another type');
  const declared = tensor.shape?.dim;
  if (declared !== undefined && declared.length !== sizes.length)
    throw fail(`${declared.length} axes, as in the file`, `${sizes.length}`);
  const dim = sizes.map((size, axis) => {
    const known = declared?.[axis]?.dimValue;
    if (size !== null && known !== undefined && known > 0 && known !== size)
      throw fail(`${known} along axis ${axis}, as in the file`, `${size}`);
    return size === null ? (declared?.[axis] ?? open) : dimension(size);
  });
  return { ...input, type: { ...input.type!, tensorType: { ...tensor, shape: { dim } } } };
}

const open: DimensionProto = { dimValue: undefined, dimParam: undefined, denotation: '' };

export const dimension = (size: number): DimensionProto => ({ dimValue: size, dimParam: undefined, denotation: '' });
