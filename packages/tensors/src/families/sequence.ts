import { intAttribute } from '../attributes.js';
import { elementOf } from '../data-types.js';
import { type OperatorSteps, type TensorCall, type TensorOperator, tensorOperators } from '../define.js';
import { everyElement } from '../elements.js';
import { indicesInput, normalizeIndex } from '../indices.js';
import { onlyElement, sameInputs } from '../inputs.js';
import { allocate, anyInput, finished, int64, reshaped } from '../moving.js';
import { interruptible } from '../pauses.js';
import { normalizeAxis } from '../shapes.js';
import type { Tensor, TensorValue } from '../tensor.js';
import { concatenate, cutAll } from './join.js';

const operator = (name: string, since: number, run: TensorOperator['run']): TensorOperator => ({
  domain: '',
  operator: name,
  versions: [since, 25],
  run,
});

/** Operators of sequences of tensors, and of optional values. */
export const sequence = tensorOperators(
  operator('SequenceConstruct', 11, (call) => [sequenceOf(sameInputs(call, everyElement) as Tensor[])]),
  operator('SequenceEmpty', 11, empty),
  operator('SequenceLength', 11, (call) => [int64(call, [], [tensorsOf(call).length])]),
  operator('SequenceAt', 11, at),
  operator('SequenceInsert', 11, insert),
  operator('SequenceErase', 11, erase),
  interruptible({ domain: '', operator: 'ConcatFromSequence', versions: [11, 25], steps: join }),
  interruptible({ domain: '', operator: 'SplitToSequence', versions: [11, 25], steps: split }),
  // An absent value is undefined.
  operator('Optional', 15, ({ inputs: [value] }) => [value]),
  operator('OptionalHasElement', 15, hasElement),
  operator('OptionalGetElement', 15, (call) => {
    if (call.inputs[0] === undefined) throw call.fault('a value that is absent', 'a value as input 0');
    return [call.inputs[0]];
  }),
);

const sequenceOf = (tensors: readonly Tensor[]): TensorValue => ({ element: 'sequence', tensors });

function tensorsOf(call: TensorCall): readonly Tensor[] {
  const [value] = call.inputs;
  if (value?.element === 'sequence') return value.tensors;
  throw call.fault(value === undefined ? 'no input 0' : `a tensor of ${value.element}`, 'a sequence as input 0');
}

/**
 * Returns an empty sequence. The sequence accepts tensors of any type, because a sequence does not
 * store its element type.
 */
function empty(call: TensorCall) {
  elementOf(call, intAttribute(call, 'dtype', 1));
  return [sequenceOf([])];
}

/** Returns the position that input `index` holds. The sequence has `size` tensors. */
function positionOf(call: TensorCall, index: number, size: number): number {
  const given = onlyElement(call, indicesInput(call, index), 'the position');
  return normalizeIndex(given as number | bigint, size, call);
}

function at(call: TensorCall) {
  const tensors = tensorsOf(call);
  return [tensors[positionOf(call, 1, tensors.length)]];
}

function insert(call: TensorCall) {
  const tensors = tensorsOf(call);
  const tensor = anyInput(call, 1);
  const [first] = tensors;
  if (first !== undefined && first.element !== tensor.element)
    throw call.fault(
      `a tensor of ${tensor.element} for a sequence of ${first.element}`,
      'tensors of one type in a sequence',
    );
  return [sequenceOf(copyOf(call, tensors).toSpliced(insertionPoint(call, tensors.length), 0, tensor))];
}

/**
 * Returns the position of SequenceInsert, which may equal the number of tensors. Without a
 * position, the tensor is inserted at the end.
 */
function insertionPoint(call: TensorCall, length: number): number {
  if (call.inputs[2] === undefined) return length;
  const given = Number(onlyElement(call, indicesInput(call, 2), 'the position'));
  if (given >= -length && given <= length) return given < 0 ? given + length : given;
  throw call.fault(
    `position ${given} in a sequence of ${length}`,
    length === 0 ? 'position 0' : `a position in [-${length}, ${length}]`,
  );
}

function erase(call: TensorCall) {
  const tensors = tensorsOf(call);
  if (tensors.length === 0) throw call.fault('an empty sequence', 'a sequence with at least one tensor');
  const place = call.inputs[1] === undefined ? tensors.length - 1 : positionOf(call, 1, tensors.length);
  return [sequenceOf(copyOf(call, tensors).toSpliced(place, 1))];
}

/**
 * Charges the budget for a copy of a list, and returns the same list. The caller then copies it. A
 * list that grows in a loop is copied in each iteration, so copies need a limit.
 */
function copyOf(call: TensorCall, tensors: readonly Tensor[]): readonly Tensor[] {
  call.budget.take(tensors.length);
  return tensors;
}

function* join(call: TensorCall): OperatorSteps {
  const tensors = tensorsOf(call);
  const axis = intAttribute(call, 'axis');
  if (intAttribute(call, 'new_axis', 0) === 0) return [yield* concatenate(call, tensors, axis)];
  const stacked = tensors.map((tensor) => {
    const place = normalizeAxis(axis, tensor.shape.length + 1, call);
    return reshaped(tensor, tensor.shape.toSpliced(place, 0, 1));
  });
  return [yield* concatenate(call, stacked, axis)];
}

/** Splits an axis into single entries, into parts of one size, or into parts of given sizes. */
function* split(call: TensorCall): OperatorSteps {
  const data = anyInput(call, 0);
  const axis = normalizeAxis(intAttribute(call, 'axis', 0), data.shape.length, call);
  const size = data.shape[axis]!;
  const sizes = partSizes(call, size);
  const parts = yield* cutAll(call, data, axis, sizes);
  const isDropped = call.inputs[1] === undefined && intAttribute(call, 'keepdims', 1) === 0;
  return [sequenceOf(isDropped ? parts.map((part) => reshaped(part, part.shape.toSpliced(axis, 1))) : parts)];
}

function partSizes(call: TensorCall, size: number): readonly number[] {
  const given = call.inputs[1] === undefined ? undefined : indicesInput(call, 1);
  if (given?.shape.length === 1) {
    const sizes = Array.from(given.data as Iterable<number | bigint>, Number);
    const isWhole = sizes.every((part) => part >= 0) && sizes.reduce((sum, part) => sum + part, 0) === size;
    if (!isWhole)
      throw call.fault(`parts [${sizes}] of an axis of ${size}`, `part sizes of 0 or greater with the sum ${size}`);
    call.budget.take(sizes.length);
    return sizes;
  }
  const part = given === undefined ? 1 : Number(onlyElement(call, given, 'the size of a part'));
  if (part < 1) throw call.fault(`parts of ${part}`, 'a part size of 1 or greater');
  const count = Math.ceil(size / part);
  call.budget.take(count); // each part is a tensor, even without elements
  return Array.from({ length: count }, (_, place) => Math.min(part, size - place * part));
}

function hasElement(call: TensorCall) {
  const made = allocate(call, 'bool', []);
  made.data[0] = call.inputs[0] === undefined ? 0 : 1;
  return [finished(made)];
}
