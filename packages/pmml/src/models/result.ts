import type { Flow } from '@brezel/flour';
import type { Operand } from '../value.js';

/** The prediction of a model that predicts a number. NaN means that there is no prediction. */
export interface Regression {
  readonly kind: 'regression';
  readonly value: Operand;
  /** The reason codes of a scorecard, as indexes into `codes`, from the most important one. */
  readonly reasons?: {
    readonly codes: readonly string[];
    readonly ranks: Flow<'vector'>;
    readonly count: number;
    /** The score before the targets of the model. Without a score, there are no reason codes. */
    readonly score: Operand;
  };
}

/** The prediction of a model that predicts a class. */
export interface Classification {
  readonly kind: 'classification';
  readonly classes: readonly string[];
  /** The index of the predicted class, as float64[1]. NaN means that there is no prediction. */
  readonly label: Flow<'vector'>;
  /** float64[classes] */
  readonly probabilities: Flow<'vector'>;
}

export type Result = Regression | Classification;
