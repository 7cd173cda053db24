import {
  flagAttribute,
  floatAttribute,
  floatsAttribute,
  hasAttribute,
  intAttribute,
  intsAttribute,
  stringAttribute,
  stringsAttribute,
  tensorAttribute,
} from '../attributes.js';
import { type OperatorSteps, type TensorCall, type TensorOperator, tensorOperators } from '../define.js';
import { isFloat, numbers } from '../elements.js';
import { onlyElement, tensorInput } from '../inputs.js';
import { allocate, finished } from '../moving.js';
import { inBlocks, interruptible } from '../pauses.js';
import { perNode } from '../per-node.js';
import { castElement } from '../shared/cast-element.js';
import { keyOf } from '../shared/key-of.js';
import type { ElementType, Tensor } from '../tensor.js';

const operator = (name: string, encoded: (call: TensorCall) => OperatorSteps<Tensor>): TensorOperator =>
  interruptible({
    domain: 'ai.onnx.ml',
    operator: name,
    versions: [1, 5],
    *steps(call) {
      return [yield* encoded(call)];
    },
  });

/**
 * Operators that encode categories: each category becomes another value, or its index in a list.
 */
export const mlCategories = tensorOperators(
  operator('LabelEncoder', (call) =>
    encode(call, call.opset === 1 ? byDirection(call, placesToText, textToPlaces) : byKey(call)),
  ),
  operator('CategoryMapper', (call) => encode(call, byDirection(call, integersToText, textToIntegers))),
  operator('OneHotEncoder', oneHot),
);

type Value = string | number | bigint;

/** A list of values of one element type. */
interface Column {
  readonly element: ElementType;
  readonly values: readonly Value[];
}

/** A table of keys and values. */
interface Mapping {
  readonly keys: ElementType;
  readonly values: ReadonlyMap<Value, Value>;
  readonly element: ElementType;
  readonly otherwise: Value;
}

/**
 * Converts a value to the form in which values are compared. Integers of any width become bigints.
 * As in a Map, -0 equals 0 and NaN equals NaN.
 */
const canonical = (value: Value, element: ElementType): Value =>
  typeof value === 'number' && !isFloat(element) ? BigInt(value) : keyOf(value);

const kindOf = (element: ElementType) => (element === 'string' ? 'strings' : isFloat(element) ? 'floats' : 'integers');

function mapping(call: TensorCall, keys: Column, values: Column, otherwise: Value): Mapping {
  if (keys.values.length !== values.values.length)
    throw call.fault(`${keys.values.length} keys and ${values.values.length} values`, 'one value per key');
  const found = new Map<Value, Value>();
  keys.values.forEach((key, index) => {
    const known = canonical(key, keys.element);
    // The first value of a repeated key wins. Before version 4, NaN matches nothing.
    const isFindable = !found.has(known) && !(Number.isNaN(known) && call.opset < 4);
    if (isFindable) found.set(known, values.values[index]!);
  });
  return { keys: keys.element, values: found, element: values.element, otherwise };
}

function* encode(call: TensorCall, { keys, values, element, otherwise }: Mapping): OperatorSteps<Tensor> {
  const tensor = tensorInput(call, 0, [...numbers, 'string']);
  if (kindOf(tensor.element) !== kindOf(keys))
    throw call.fault(`an input of ${tensor.element}`, `an input of the type of the keys (${kindOf(keys)})`);
  const made = allocate(call, element, tensor.shape);
  takeLookups(call, tensor);
  yield* inBlocks(call, tensor.data.length, (from, to) => {
    for (let at = from; at < to; at++)
      made.data[at] = values.get(canonical(tensor.data[at]!, tensor.element)) ?? otherwise;
  });
  return finished(made);
}

const strings = (call: TensorCall, name: string): Column => ({
  element: 'string',
  values: stringsAttribute(call, name),
});

const integers = (call: TensorCall, name: string): Column => ({
  element: 'int64',
  values: intsAttribute(call, name).map(BigInt),
});

const floatList = (call: TensorCall, name: string): Column => ({
  element: 'float32',
  values: floatsAttribute(call, name).map(Math.fround),
});

function indices(call: TensorCall): Column {
  const { length } = stringsAttribute(call, 'classes_strings');
  return { element: 'int64', values: Array.from({ length }, (_, index) => BigInt(index)) };
}

const defaultText = (call: TensorCall) => stringAttribute(call, 'default_string', '_Unused');
const defaultInteger = (call: TensorCall) => BigInt(intAttribute(call, 'default_int64', -1));

const textToPlaces = perNode((call) =>
  mapping(call, strings(call, 'classes_strings'), indices(call), defaultInteger(call)),
);
const placesToText = perNode((call) =>
  mapping(call, indices(call), strings(call, 'classes_strings'), defaultText(call)),
);
const textToIntegers = perNode((call) =>
  mapping(call, strings(call, 'cats_strings'), integers(call, 'cats_int64s'), defaultInteger(call)),
);
const integersToText = perNode((call) =>
  mapping(call, integers(call, 'cats_int64s'), strings(call, 'cats_strings'), defaultText(call)),
);

/**
 * Returns the conversion of a CategoryMapper node, or of a LabelEncoder node of version 1: from
 * strings to integers if the input holds strings, otherwise from integers to strings.
 */
const byDirection = (
  call: TensorCall,
  toText: (call: TensorCall) => Mapping,
  toIntegers: (call: TensorCall) => Mapping,
) => (call.inputs[0]?.element === 'string' ? toIntegers(call) : toText(call));

/**
 * Returns the mapping of a LabelEncoder node of version 2 or later. The names of the attributes
 * determine the types of keys and values. From version 4 on, keys and values may be tensors of any
 * type.
 */
const byKey = perNode((call) => {
  const values = columnOf(call, 'values');
  return mapping(call, columnOf(call, 'keys'), values, defaultOf(call, values.element));
});

function columnOf(call: TensorCall, name: 'keys' | 'values'): Column {
  if (hasAttribute(call, `${name}_tensor`)) {
    const { element, data } = tensorAttribute(call, `${name}_tensor`);
    return { element, values: Array.from<Value>(data as Iterable<Value>) };
  }
  const [kind, read] = columnKinds.find(([one]) => hasAttribute(call, `${name}_${one}`)) ?? [];
  if (read !== undefined) return read(call, `${name}_${kind}`);
  throw call.fault(`no ${name}`, `the attribute ${name} in one of its types`);
}

const columnKinds = [
  ['strings', strings],
  ['int64s', integers],
  ['floats', floatList],
] as const;

function defaultOf(call: TensorCall, element: ElementType): Value {
  if (hasAttribute(call, 'default_tensor')) {
    const tensor = tensorAttribute(call, 'default_tensor');
    if (tensor.element !== element)
      throw call.fault(`a default of ${tensor.element}`, `a default of ${element}, the type of the values`);
    return onlyElement(call, tensor, 'the default');
  }
  if (element === 'string') return defaultText(call);
  if (isFloat(element)) return floatAttribute(call, 'default_float', -0);
  const integer = defaultInteger(call);
  return element === 'int64' || element === 'uint64' ? integer : Number(integer);
}

/** Returns the index of each category of a OneHotEncoder node. */
const categoriesOf = perNode((call) => {
  const lists = [strings, integers].map((read, at) => {
    const name = ['cats_strings', 'cats_int64s'][at]!;
    return hasAttribute(call, name) ? read(call, name) : undefined;
  });
  const [given, another] = lists.filter((list) => list !== undefined && list.values.length > 0);
  if (given === undefined || another !== undefined)
    throw call.fault(
      given === undefined ? 'no categories' : 'categories in both attributes',
      'either cats_strings or cats_int64s',
    );
  const { element, values } = given;
  const indices = new Map<Value, number>();
  for (const [index, value] of values.entries()) if (!indices.has(value)) indices.set(value, index);
  return { element, indices, count: values.length };
});

/**
 * Adds a last axis with a 1 at the index of the category. An unknown category has no 1, or fails if
 * the attribute `zeros` is 0. Numbers are truncated to integers.
 */
function* oneHot(call: TensorCall): OperatorSteps<Tensor> {
  const { element, indices, count } = categoriesOf(call);
  const tensor = tensorInput(call, 0, ['string', ...numbers]);
  // Strings never match numbers, as in onnxruntime.
  const isSameKind = (tensor.element === 'string') === (element === 'string');
  const isError = !flagAttribute(call, 'zeros', true);
  const made = allocate(call, 'float32', [...tensor.shape, count]);
  takeLookups(call, tensor);
  const mark = (at: number) => {
    const value = tensor.data[at]!;
    const index = !isSameKind
      ? undefined
      : indices.get(typeof value === 'number' ? castElement(value, 'int64') : value);
    if (index !== undefined) made.data[at * count + index] = 1;
    else if (isError)
      throw call.fault(
        `the unknown category ${JSON.stringify(String(value).slice(0, 40))}`,
        'a category of the model, because zeros = 0',
      );
  };
  yield* inBlocks(call, tensor.data.length, (from, to) => {
    for (let at = from; at < to; at++) mark(at);
  });
  return finished(made);
}

/**
 * A lookup of a value in a table counts against the budget like this many elements of a result,
 * because it takes as long.
 */
const LOOKUP_ELEMENTS = 8;

const takeLookups = (call: TensorCall, { data }: Tensor): void => call.budget.take(LOOKUP_ELEMENTS * data.length);
