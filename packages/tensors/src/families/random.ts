import { exp } from '@brezel/core';
import { floatAttribute, hasAttribute, intAttribute, intsAttribute } from '../attributes.js';
import { conversion } from '../convert.js';
import { elementOf } from '../data-types.js';
import { type TensorCall, type TensorOperator, tensorOperators } from '../define.js';
import { floats, integers, rounding } from '../elements.js';
import { type Floats, tensorInput } from '../inputs.js';
import { allocate, anyInput, finished } from '../moving.js';
import { normalFrom, type Uniform, uniformFrom } from '../random.js';
import { shown } from '../shapes.js';
import type { ElementType, Tensor } from '../tensor.js';

// Without a seed, each run draws different numbers. With a seed, each run draws the same numbers.
// Other runtimes draw other numbers, because ONNX does not define the generator.

const operator = (name: string, since: number, run: TensorOperator['run']): TensorOperator => ({
  domain: '',
  operator: name,
  versions: [since, 25],
  run,
});

/** Operators that draw random numbers. */
export const random = tensorOperators(
  operator('RandomUniform', 1, (call) => [drawn(call, uniform(call), shapeOf(call), typeOf(call, 1, floats))]),
  operator('RandomUniformLike', 1, (call) => [drawnLike(call, uniform(call))]),
  operator('RandomNormal', 1, (call) => [drawn(call, normal(call), shapeOf(call), typeOf(call, 1, floats))]),
  operator('RandomNormalLike', 1, (call) => [drawnLike(call, normal(call))]),
  operator('Bernoulli', 15, bernoulli),
  operator('Multinomial', 7, multinomial),
);

const generator = (call: TensorCall): Uniform =>
  uniformFrom(hasAttribute(call, 'seed') ? floatAttribute(call, 'seed') : undefined);

const shapeOf = (call: TensorCall): readonly number[] => intsAttribute(call, 'shape');

/** Returns the type that the node requests, one of `allowed`. */
function typeOf<E extends ElementType>(call: TensorCall, otherwise: number, allowed: readonly E[]): E {
  const element = elementOf(call, intAttribute(call, 'dtype', otherwise));
  if ((allowed as readonly string[]).includes(element)) return element as E;
  throw call.fault(`dtype ${element}`, `dtype as one of ${allowed.join(', ')}`);
}

function uniform(call: TensorCall): () => number {
  const [low, high] = [floatAttribute(call, 'low', 0), floatAttribute(call, 'high', 1)];
  const next = generator(call);
  return () => low + (high - low) * next();
}

function normal(call: TensorCall): () => number {
  const [mean, scale] = [floatAttribute(call, 'mean', 0), floatAttribute(call, 'scale', 1)];
  const next = normalFrom(generator(call));
  return () => mean + scale * next();
}

function drawn(call: TensorCall, next: () => number, shape: readonly number[], element: (typeof floats)[number]) {
  const made = allocate(call, element, shape);
  const round = rounding(element);
  for (let at = 0; at < made.data.length; at++) made.data[at] = round(next());
  return finished(made);
}

/** Draws a tensor with the shape of another tensor, and by default with its type. */
function drawnLike(call: TensorCall, next: () => number): Tensor {
  const like = anyInput(call, 0);
  const element = hasAttribute(call, 'dtype') ? typeOf(call, 1, floats) : (like.element as Floats['element']);
  if (!floats.includes(element))
    throw call.fault(
      `an input of ${element} without dtype`,
      `the attribute dtype, or an input of ${floats.join(', ')}`,
    );
  return drawn(call, next, like.shape, element);
}

/** Draws 0 or 1 for each element. The input holds the probabilities of 1. */
function bernoulli(call: TensorCall): Tensor[] {
  const { element, shape, data } = tensorInput(call, 0, floats);
  const outside = (data as Float32Array).findIndex((probability) => !(probability >= 0 && probability <= 1));
  if (outside >= 0) throw call.fault(`a probability of ${data[outside]}`, 'probabilities in [0, 1]');
  const type = hasAttribute(call, 'dtype') ? typeOf(call, 1, [...floats, ...integers, 'bool']) : element;
  const next = generator(call);
  const convert = conversion('float64', type, call);
  const made = allocate(call, type, shape);
  for (let at = 0; at < made.data.length; at++) made.data[at] = convert(next() < data[at]! ? 1 : 0);
  return [finished(made)];
}

/** Draws classes by log-probabilities, which need not be normalized. */
function multinomial(call: TensorCall): Tensor[] {
  const { shape, data } = tensorInput(call, 0, floats);
  const [rows, classes] = shape as [number, number];
  if (shape.length !== 2 || classes === 0)
    throw call.fault(`an input of shape ${shown(shape)}`, 'an input [rows, classes] with at least one class');
  const samples = intAttribute(call, 'sample_size', 1);
  const type = typeOf(call, 6, ['int32', 'int64']);
  const next = generator(call);
  const made = allocate(call, type, [rows, samples]);
  call.budget.take(classes);
  for (let row = 0; row < rows && samples > 0; row++) {
    const sums = cumulated(Float64Array.from(data.subarray(row * classes, (row + 1) * classes)));
    for (let sample = 0; sample < samples; sample++) {
      const drawn = classAt(sums, next() * sums.at(-1)!);
      made.data[row * samples + sample] = type === 'int64' ? BigInt(drawn) : drawn;
    }
  }
  return [finished(made)];
}

/**
 * Returns the cumulative sums of the probabilities. The probabilities are not normalized, so the
 * last sum may differ from 1.
 */
function cumulated(logarithms: Float64Array): Float64Array {
  const most = logarithms.reduce((so, value) => Math.max(so, value));
  let sum = 0;
  return logarithms.map((value) => {
    sum += exp(value - most);
    return sum;
  });
}

/** Returns the first class whose cumulative sum exceeds `number`, which is below the last sum. */
function classAt(sums: Float64Array, number: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle]! > number) high = middle;
    else low = middle + 1;
  }
  return low;
}
