import { tensorOperators } from '../define.js';

/** Functions of one element each. */
export const unary = tensorOperators({
  domain: '',
  operator: 'Identity',
  versions: [1, 25],
  run: ({ inputs: [value] }) => [value],
});
