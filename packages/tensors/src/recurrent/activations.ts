import { exp, expm1, log1p, sigmoid, tanh } from '@brezel/core';
import { floatsAttribute, hasAttribute, stringsAttribute } from '../attributes.js';
import type { TensorCall } from '../define.js';

export type Activation = (x: number) => number;

interface Kind {
  /** Default of `activation_alpha`. Undefined if the activation does not read it. */
  readonly alpha?: number;
  readonly beta?: number;
  readonly apply: (x: number, alpha: number, beta: number) => number;
}

const unit = (x: number): number => (x < 0 ? 0 : x > 1 ? 1 : x);

/** Activations by lower-case name, because exporters vary the case. */
const kinds: Readonly<Record<string, Kind>> = {
  relu: { apply: (x) => (x > 0 || Number.isNaN(x) ? x : 0) },
  tanh: { apply: tanh },
  sigmoid: { apply: sigmoid },
  softsign: { apply: (x) => x / (1 + Math.abs(x)) },
  softplus: { apply: (x) => Math.max(x, 0) + log1p(exp(-Math.abs(x))) },
  affine: { alpha: 1, beta: 0, apply: (x, alpha, beta) => alpha * x + beta },
  leakyrelu: { alpha: 0.01, apply: (x, alpha) => (x < 0 ? alpha * x : x) },
  thresholdedrelu: { alpha: 1, apply: (x, alpha) => (x > alpha ? x : 0) },
  scaledtanh: { alpha: 1, beta: 1, apply: (x, alpha, beta) => alpha * tanh(beta * x) },
  hardsigmoid: { alpha: 0.2, beta: 0.5, apply: (x, alpha, beta) => unit(alpha * x + beta) },
  elu: { alpha: 1, apply: (x, alpha) => (x < 0 ? alpha * expm1(x) : x) },
};

/**
 * Returns the activations of a recurrent node, as one list for each direction. `activation_alpha`
 * and `activation_beta` list one number for each activation that reads it, in order.
 *
 * @param otherwise default names for one direction.
 */
export function activationsOf(call: TensorCall, otherwise: readonly string[], directions: number): Activation[][] {
  const usual = Array.from({ length: directions }, () => otherwise).flat();
  const names = hasAttribute(call, 'activations') ? stringsAttribute(call, 'activations') : usual;
  if (names.length !== usual.length)
    throw call.fault(`${names.length} activations`, `${otherwise.length} activations per direction`);
  const [alphas, betas] = [coefficients(call, 'activation_alpha'), coefficients(call, 'activation_beta')];
  const all = names.map((name): Activation => {
    const kind = Object.hasOwn(kinds, name.toLowerCase()) ? kinds[name.toLowerCase()] : undefined;
    if (kind === undefined)
      throw call.fault(`the activation '${name}'`, `one of the activations ${Object.keys(kinds).join(', ')}`);
    const alpha = kind.alpha === undefined ? 0 : (alphas.next().value ?? Math.fround(kind.alpha));
    const beta = kind.beta === undefined ? 0 : (betas.next().value ?? Math.fround(kind.beta));
    return (x) => kind.apply(x, alpha, beta);
  });
  return Array.from({ length: directions }, (_, at) => all.slice(at * otherwise.length, (at + 1) * otherwise.length));
}

const coefficients = (call: TensorCall, name: string): Iterator<number, undefined> =>
  floatsAttribute(call, name, []).values() as Iterator<number, undefined>;
