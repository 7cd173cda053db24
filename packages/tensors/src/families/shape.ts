import { hasAttribute, intAttribute, intsAttribute, isOne } from '../attributes.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { intsInput } from '../inputs.js';
import { anyInput, countOf, int64, requiredInts, reshaped } from '../moving.js';
import { normalizeAxes, normalizeAxis, type Shape, shown } from '../shapes.js';
import { elementCount } from '../tensor.js';

/** Operators that read or change a shape without moving elements. */
export const shape = tensorOperators(
  { domain: '', operator: 'Reshape', versions: [1, 25], run: reshape },
  { domain: '', operator: 'Flatten', versions: [1, 25], run: flatten },
  { domain: '', operator: 'Squeeze', versions: [1, 25], run: squeeze },
  { domain: '', operator: 'Unsqueeze', versions: [1, 25], run: unsqueeze },
  { domain: '', operator: 'Shape', versions: [1, 25], run: shapeOf },
  {
    domain: '',
    operator: 'Size',
    versions: [1, 25],
    run: (call) => [int64(call, [], [elementCount(anyInput(call, 0).shape)])],
  },
);

function reshape(call: TensorCall) {
  const data = anyInput(call, 0);
  const wanted = call.opset < 5 ? intsAttribute(call, 'shape') : requiredInts(call, 1);
  return [reshaped(data, targetShape(call, data.shape, wanted, isOne(call, 'allowzero', false)))];
}

/**
 * Returns the target shape: -1 is inferred, and 0 is copied from the same axis (unless
 * `allowzero`).
 */
function targetShape(call: TensorCall, from: Shape, wanted: readonly number[], allowZero: boolean): number[] {
  const wrong = (expected: string) => call.fault(`shape ${shown(from)} to become ${shown(wanted)}`, expected);
  const isCopied = (axis: number) => wanted[axis] === 0 && !allowZero;
  const inferred = wanted.indexOf(-1);
  if (wanted.some((size) => size < -1)) throw wrong('sizes of 0 or greater, or -1 for the size to infer');
  if (wanted.lastIndexOf(-1) !== inferred) throw wrong('at most one size to infer (-1)');
  if (allowZero && inferred >= 0 && wanted.includes(0)) throw wrong('either 0 or -1 in a shape with allowzero = 1');
  if (wanted.some((_, axis) => isCopied(axis) && axis >= from.length))
    throw wrong('0 only for axes that the input has');
  // The inferred size is a quotient of products of sizes. Copied sizes are left out of both
  // products, so that a copied size of 0 causes no division by 0.
  const rest = elementCount(from.filter((_, axis) => !isCopied(axis)));
  const known = elementCount(wanted.filter((size, axis) => size !== -1 && !isCopied(axis)));
  const shape = wanted.map((size, axis) => (isCopied(axis) ? from[axis]! : size === -1 ? rest / known : size));
  if (inferred >= 0 && (known === 0 || rest % known !== 0)) throw wrong('sizes that divide the number of elements');
  if (countOf(call, shape) !== elementCount(from)) throw wrong('shapes with equal numbers of elements');
  return shape;
}

function flatten(call: TensorCall) {
  const data = anyInput(call, 0);
  const rank = data.shape.length;
  const given = intAttribute(call, 'axis', 1);
  const axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis > rank)
    throw call.fault(`axis ${given}`, rank === 0 ? 'axis 0' : `an axis in [-${rank}, ${rank}]`);
  const shape = [elementCount(data.shape.slice(0, axis)), elementCount(data.shape.slice(axis))];
  countOf(call, shape);
  return [reshaped(data, shape)];
}

/**
 * Reads the axes of a node. The axes are an input since version 13, and an attribute in older
 * versions.
 */
const axesOf = (call: TensorCall): readonly number[] | undefined =>
  call.opset >= 13 ? intsInput(call, 1) : hasAttribute(call, 'axes') ? intsAttribute(call, 'axes') : undefined;

function squeeze(call: TensorCall) {
  const data = anyInput(call, 0);
  const given = axesOf(call);
  const axes = new Set(given?.map((axis) => normalizeAxis(axis, data.shape.length, call)));
  for (const axis of axes)
    if (data.shape[axis] !== 1) throw call.fault(`axis ${axis} of shape ${shown(data.shape)}`, 'axes of size 1');
  return [
    reshaped(
      data,
      data.shape.filter((size, axis) => (given === undefined ? size !== 1 : !axes.has(axis))),
    ),
  ];
}

function unsqueeze(call: TensorCall) {
  const data = anyInput(call, 0);
  const given = axesOf(call);
  if (given === undefined) throw call.fault('no axes', 'the axes to insert');
  const rank = data.shape.length + given.length;
  const axes = new Set(normalizeAxes(given, rank, call));
  const old = data.shape.values();
  const shape = Array.from({ length: rank }, (_, axis) => (axes.has(axis) ? 1 : old.next().value!));
  countOf(call, shape);
  return [reshaped(data, shape)];
}

function shapeOf(call: TensorCall) {
  const { shape } = anyInput(call, 0);
  const clamped = (axis: number) => Math.min(Math.max(axis < 0 ? axis + shape.length : axis, 0), shape.length);
  const sizes = shape.slice(clamped(intAttribute(call, 'start', 0)), clamped(intAttribute(call, 'end', shape.length)));
  return [int64(call, [sizes.length], sizes)];
}
