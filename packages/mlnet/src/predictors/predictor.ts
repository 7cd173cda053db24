import { sizeOf } from '@brezel/core';
import type { Flow } from '@brezel/flour';
import { mlNetError } from '../errors.js';

/**
 * A model of an ML.NET archive: computes scores from features, and possibly a probability from the
 * score.
 */
export interface Predictor {
  /** The number of scores, such as one for each class. */
  readonly targets: number;
  readonly score: (features: Flow<'vector'>) => Flow<'vector'>;
  /**
   * Returns the flow of probabilities for a flow of scores. Set for models of two classes with a
   * calibrator.
   */
  readonly probability?: (score: Flow<'vector'>) => Flow<'vector'>;
}

/**
 * Checks the number of features and returns them unchanged.
 * @throws ERR_MLNET_COLUMN if the model needs another number of features.
 */
export function ofSize(features: Flow<'vector'>, size: number, at: string): Flow<'vector'> {
  const received = sizeOf(features.type);
  if (received === size) return features;
  throw mlNetError('ERR_MLNET_COLUMN', { expected: `${size} features`, received: `${received}`, at });
}
