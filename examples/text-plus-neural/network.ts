import { words } from './program.js';

// A linear model over words cannot express that "not good" is worse than "not" and "good" together.
// Four hidden units can: praise, blame, negated praise, negated blame.
const hiddenWeights = {
  praise: [1, 0, 1, 0],
  blame: [0, 1, 0, 1],
  negation: [-2, -2, 1, 1],
};

export interface Layer {
  readonly name: string;
  readonly inputs: number;
  readonly outputs: number;
  /**
   * Weights in the order of the inputs: the weights from input 0 to every output, then from input
   * 1, and so on.
   */
  readonly weights: readonly number[];
  readonly bias: readonly number[];
  readonly activation: 'relu' | 'sigmoid';
}

const kinds = Object.values(words);

/** The trained head: word counts → four hidden units → probability that the text is positive. */
export const network: readonly Layer[] = [
  {
    name: 'hidden',
    inputs: kinds.length,
    outputs: 4,
    weights: kinds.flatMap((kind) => hiddenWeights[kind]),
    bias: [0, 0, -1, -1],
    activation: 'relu',
  },
  { name: 'positive', inputs: 4, outputs: 1, weights: [3, -3, -3, 2], bias: [0], activation: 'sigmoid' },
];
