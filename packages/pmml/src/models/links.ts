import type { Flow } from '@brezel/flour';
import { arithmetic, map } from '../operands.js';
import type { Operand } from '../value.js';

/** The inverse link functions that convert a score to a probability. */
export const links = ['logit', 'probit', 'cloglog', 'loglog', 'cauchit'] as const;
export type LinkName = (typeof links)[number];

/** Applies an inverse link function to each element. */
export function link(name: LinkName, score: Flow<'vector'>): Operand {
  switch (name) {
    case 'logit':
      return score.map('sigmoid');
    case 'probit':
      return arithmetic('multiply', arithmetic('add', score.arithmetic('multiply', Math.SQRT1_2).map('erf'), 1), 0.5);
    case 'cloglog':
      return arithmetic('subtract', 1, map('exp', arithmetic('multiply', map('exp', score), -1)));
    case 'loglog':
      return map('exp', arithmetic('multiply', map('exp', arithmetic('multiply', score, -1)), -1));
    case 'cauchit':
      return arithmetic('add', arithmetic('multiply', map('atan', score), 1 / Math.PI), 0.5);
  }
}
