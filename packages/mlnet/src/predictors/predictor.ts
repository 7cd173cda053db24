import { sizeOf } from '@brezel/core';
import type { Flow } from '@brezel/flour';
import { mlNetError } from '../errors.js';

/** A model: computes scores from features, and a calibrated probability from a score. */
export interface Predictor {
  /** The number of scores. */
  readonly targets: number;
  readonly score: (features: Flow<'vector'>) => Flow<'vector'>;
  /** Returns the probability, for models of two classes with a calibrator. */
  readonly probability?: (score: Flow<'vector'>) => Flow<'vector'>;
}

/**
 * Returns the features after a size check.
 * @throws ERR_MLNET_COLUMN if the model needs another number of features.
 */
export function ofSize(features: Flow<'vector'>, size: number, at: string): Flow<'vector'> {
  const received = sizeOf(features.type);
  if (received === size) return features;
  throw mlNetError('ERR_MLNET_COLUMN', { expected: `${size} features`, received: `${received}`, at });
}
