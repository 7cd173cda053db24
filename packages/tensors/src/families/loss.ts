import { choiceAttribute, hasAttribute, intAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats, rounding } from '../elements.js';
import { transformed } from '../groups.js';
import { indexesOf } from '../indices.js';
import { computed, computedSteps, type Floats, optionalInput, tensorInput } from '../inputs.js';
import { interruptible } from '../pauses.js';
import { reductions } from '../reductions.js';
import { shown } from '../shapes.js';
import { elementCount, type Tensor } from '../tensor.js';
import { logSoftmax } from './softmax.js';

/** Losses of scores `[N, C, d1, ...]` against target classes `[N, d1, ...]`. */
export const losses = tensorOperators(
  interruptible({
    domain: '',
    operator: 'NegativeLogLikelihoodLoss',
    versions: [12, 25],
    *steps(call) {
      return [yield* likelihoodLoss(call, tensorInput(call, 0, floats))];
    },
  }),
  interruptible({ domain: '', operator: 'SoftmaxCrossEntropyLoss', versions: [12, 25], steps: softmaxLoss }),
);

/** Returns the loss of the log-softmax of the scores, and the log-softmax. */
function* softmaxLoss(call: TensorCall): OperatorSteps {
  const scores = tensorInput(call, 0, floats);
  checkScores(call, scores);
  const logarithms = (yield* transformed(call, scores, [1], logSoftmax)) as Floats;
  return [yield* likelihoodLoss(call, logarithms), logarithms];
}

function checkScores(call: TensorCall, { shape }: Floats): void {
  if (shape.length < 2)
    throw call.fault(`scores of shape ${shown(shape)}`, 'scores of shape [N, C] or [N, C, d1, ...]');
}

/**
 * Computes the loss of each target: minus the weighted score of its class, or 0 for `ignore_index`.
 * Returns their weighted mean, or as `reduction` requests their sum or all of them. Every operation
 * rounds to the type of the scores.
 */
function* likelihoodLoss(call: TensorCall, scores: Floats): OperatorSteps<Tensor> {
  checkScores(call, scores);
  const { element, shape } = scores;
  const [rows, classes, ...rest] = shape as [number, number, ...number[]];
  const width = elementCount(rest);
  const weightOf = weights(call, classes);
  const wanted = wantedClasses(call, [rows, ...rest], classes);
  const lossAt = (at: number) => {
    const one = wanted(at);
    if (one === undefined) return 0;
    const score = scores.data[(Math.floor(at / width) * classes + one) * width + (at % width)]!;
    return -score * weightOf(one);
  };
  const loss = (yield* computedSteps(call, element, [rows, ...rest], lossAt)) as Floats;
  const reduction = choiceAttribute(call, 'reduction', ['none', 'sum', 'mean'], 'mean');
  if (reduction === 'none') return loss;
  const keep = rounding(element);
  call.budget.take(2 * loss.data.length);
  const sum = (values: Float64Array) => reductions.sum.real(values, keep);
  const total = sum(Float64Array.from(loss.data));
  if (reduction === 'sum') return computed(call, element, [], () => total);
  const applied = Float64Array.from(loss.data, (_, at) => {
    const one = wanted(at);
    return one === undefined ? 0 : weightOf(one);
  });
  return computed(call, element, [], () => total / sum(applied));
}

/** Returns the weight of each class, 1 by default. */
function weights(call: TensorCall, classes: number): (one: number) => number {
  const given = optionalInput(call, 2, floats);
  if (given === undefined) return () => 1;
  if (given.shape.length !== 1 || given.shape[0] !== classes)
    throw call.fault(`weights of shape ${shown(given.shape)}`, `weights of shape [${classes}], one weight per class`);
  return (one) => given.data[one]!;
}

/**
 * Returns a function that returns the class of a target, or undefined if the target is ignored. Any
 * other target must be a class.
 */
function wantedClasses(call: TensorCall, shape: readonly number[], classes: number) {
  const targets = tensorInput(call, 1, ['int64', 'int32']);
  if (shown(targets.shape) !== shown(shape))
    throw call.fault(`classes of shape ${shown(targets.shape)}`, `classes of shape ${shown(shape)}`);
  const ignored = hasAttribute(call, 'ignore_index') ? intAttribute(call, 'ignore_index') : undefined;
  return (at: number): number | undefined => {
    const one = Number(targets.data[at]);
    if (one === ignored) return undefined;
    if (one >= 0 && one < classes) return one;
    throw call.fault(`class ${one}`, `${indexesOf('classes', classes, 'scores')}, or ignore_index`);
  };
}
