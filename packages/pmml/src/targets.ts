import type { Flow } from '@brezel/flour';
import { placeOf } from './models/classes.js';
import type { ModelUse } from './models/model.js';
import type { Result } from './models/result.js';
import { arithmetic, choose, compare, constantFlow, isPresent, map } from './operands.js';
import type { Operand } from './value.js';
import type { Element } from './xml/element.js';

/** Returns the `Target` element of the field that a model predicts. */
export function targetOf({ element, target }: ModelUse): Element | undefined {
  const all = element.find('Targets')?.all('Target') ?? [];
  return all.find((one) => one.get('field') === target) ?? (all.length === 1 ? all[0] : undefined);
}

/**
 * Applies the `Targets` of a model to its result: bounds, rescaling, rounding, and the answer for a
 * missing prediction.
 */
export function withTarget(use: ModelUse, result: Result): Result {
  const target = targetOf(use);
  if (target === undefined) return result;
  if (result.kind === 'regression') return { ...result, value: rescaled(target, result.value) };
  const priors = target
    .all('TargetValue')
    .filter((value) => value.has('priorProbability'))
    .map((value) => ({
      place: placeOf(result.classes, value.required('value')),
      prior: value.number('priorProbability'),
    }));
  if (priors.length === 0 || priors.some(({ place }) => place < 0)) return result;
  const best = priors.reduce((most, one) => (one.prior > most.prior ? one : most));
  const missing = isPresent(result.label);
  const label = choose(missing, result.label, best.place) as Flow<'vector'>;
  const zero = constantFlow(result.label, 0);
  const shares = new Float64Array(result.classes.length);
  for (const { place, prior } of priors) shares[place] = prior;
  const usual = zero.selectColumns(new Int32Array(shares.length)).arithmetic('add', shares);
  return { ...result, label, probabilities: missing.where(result.probabilities, usual) };
}

const rounding: Readonly<Record<string, (x: Operand) => Operand>> = {
  round: (x) => map('floor', arithmetic('add', x, 0.5)),
  ceiling: (x) => map('ceil', x),
  floor: (x) => map('floor', x),
};

function rescaled(target: Element, value: Operand): Operand {
  const initial = target.all('TargetValue').find((one) => one.has('defaultValue'));
  let result = initial === undefined ? value : choose(isPresent(value), value, initial.number('defaultValue'));
  // `where` instead of minimum and maximum, so that a missing prediction stays missing.
  if (target.has('min')) result = bounded(result, 'less', target.number('min'));
  if (target.has('max')) result = bounded(result, 'greater', target.number('max'));
  const [factor, constant] = [target.number('rescaleFactor', 1), target.number('rescaleConstant', 0)];
  if (factor !== 1) result = arithmetic('multiply', result, factor);
  if (constant !== 0) result = arithmetic('add', result, constant);
  const cast = target.has('castInteger')
    ? rounding[target.choice('castInteger', ['round', 'ceiling', 'floor'])]
    : undefined;
  return cast === undefined ? result : cast(result);
}

const bounded = (value: Operand, comparison: 'less' | 'greater', bound: number): Operand =>
  choose(compare(comparison, value, bound), bound, value);
