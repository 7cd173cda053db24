import { choiceAttribute, floatAttribute } from '../attributes.js';
import { type TensorCall, type TensorOperator, tensorOperators } from '../define.js';
import { computed, onlyElement, tensorInput } from '../inputs.js';
import { shown } from '../shapes.js';
import { elementCount, type NumericTensor, type Tensor } from '../tensor.js';

// Operators that compute one step of an optimizer. They are pure functions that return the new
// tensors. Results are computed in float64 and rounded once.

const trained = ['float32', 'float64'] as const;
type Trained = NumericTensor<(typeof trained)[number]>;

/**
 * Computes the new value and the new state of one element of an optimized tensor from its value,
 * its gradient and its state.
 */
type Step = (value: number, gradient: number, kept: readonly number[]) => readonly [value: number, ...kept: number[]];

/**
 * Returns the `Step` function of an update with learning rate `rate`, after `count` earlier
 * updates.
 */
type Optimizer = (call: TensorCall, rate: number, count: number) => Step;

const operator = (name: string, kept: number, optimizer: Optimizer): TensorOperator => ({
  domain: 'ai.onnx.preview.training',
  operator: name,
  versions: [1, 1],
  run: (call) => stepped(call, kept, optimizer),
});

/** Optimizers of ai.onnx.preview.training. */
export const training = tensorOperators(
  operator('Adagrad', 1, adagrad),
  operator('Adam', 2, adam),
  operator('Momentum', 1, momentum),
);

/**
 * Runs one update of an optimizer. The inputs are the learning rate, the count of updates, all
 * trained tensors, all gradients, and then all tensors of each state. The outputs are the new
 * tensors, then the new tensors of each state.
 */
function stepped(call: TensorCall, kept: number, optimizer: Optimizer): Tensor[] {
  const rate = Number(onlyElement(call, tensorInput(call, 0, trained), 'the learning rate'));
  const count = Number(onlyElement(call, tensorInput(call, 1, ['int64']), 'the count of updates'));
  const tensors = (call.inputs.length - 2) / (kept + 2);
  if (!Number.isInteger(tensors) || tensors < 1)
    throw call.fault(`${call.inputs.length} inputs`, `a rate, a count, and ${kept + 2} inputs per trained tensor`);
  const step = optimizer(call, rate, count);
  const updated = Array.from({ length: tensors }, (_, at) => {
    const parts = Array.from({ length: kept + 2 }, (_, part) => tensorInput(call, 2 + part * tensors + at, trained));
    return updatedTensor(call, parts, step);
  });
  return Array.from({ length: kept + 1 }, (_, part) => updated.map((outputs) => outputs[part]!)).flat();
}

function updatedTensor(call: TensorCall, parts: readonly Trained[], step: Step): Tensor[] {
  const [{ element, shape }, , ...kept] = parts as readonly [Trained, Trained, ...Trained[]];
  const odd = parts.find((part) => part.element !== element || shown(part.shape) !== shown(shape));
  if (odd !== undefined)
    throw call.fault(
      `${odd.element}${shown(odd.shape)} beside ${element}${shown(shape)}`,
      'one type and shape for a tensor, its gradient and its states',
    );
  const count = elementCount(shape);
  call.budget.take(count * (1 + kept.length));
  const values = [shape, ...kept].map(() => new Float64Array(count));
  for (let at = 0; at < count; at++) {
    const [value, gradient, ...rest] = parts.map(({ data }) => data[at]!) as [number, number, ...number[]];
    step(value, gradient, rest).forEach((result, part) => {
      values[part]![at] = result;
    });
  }
  return values.map((list) => computed(call, element, shape, (at) => list[at]!));
}

function adagrad(call: TensorCall, rate: number, count: number): Step {
  const epsilon = floatAttribute(call, 'epsilon', 0);
  const norm = floatAttribute(call, 'norm_coefficient', 0);
  const slowed = rate / (1 + count * floatAttribute(call, 'decay_factor', 0));
  return (value, gradient, [squares]) => {
    const slope = norm * value + gradient;
    const sum = squares! + slope * slope;
    return [value - (slowed * slope) / (Math.sqrt(sum) + epsilon), sum];
  };
}

function adam(call: TensorCall, rate: number, count: number): Step {
  const alpha = floatAttribute(call, 'alpha', Math.fround(0.9));
  const beta = floatAttribute(call, 'beta', Math.fround(0.999));
  const epsilon = floatAttribute(call, 'epsilon', 0);
  const norm = floatAttribute(call, 'norm_coefficient', 0);
  const normAfter = floatAttribute(call, 'norm_coefficient_post', 0);
  const adjusted = count > 0 ? (rate * Math.sqrt(1 - beta ** count)) / (1 - alpha ** count) : rate;
  return (value, gradient, [slopes, squares]) => {
    const slope = norm * value + gradient;
    const mean = alpha * slopes! + (1 - alpha) * slope;
    const square = beta * squares! + (1 - beta) * slope * slope;
    const moved = value - (adjusted * mean) / (Math.sqrt(square) + epsilon);
    return [(1 - normAfter) * moved, mean, square];
  };
}

/**
 * Returns a function that updates one element with momentum. In the first update, the gradient has
 * factor 1 instead of beta.
 */
function momentum(call: TensorCall, rate: number, count: number): Step {
  const alpha = floatAttribute(call, 'alpha');
  const beta = count > 0 ? floatAttribute(call, 'beta') : 1;
  const norm = floatAttribute(call, 'norm_coefficient');
  const isNesterov = choiceAttribute(call, 'mode', ['standard', 'nesterov']) === 'nesterov';
  return (value, gradient, [velocity]) => {
    const slope = norm * value + gradient;
    const next = alpha * velocity! + beta * slope;
    return [value - rate * (isNesterov ? slope + alpha * next : next), next];
  };
}
