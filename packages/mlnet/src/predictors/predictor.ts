import { sizeOf } from '@brezel/core';
import type { Flow } from '@brezel/flour';
import { mlNetError } from '../errors.js';

/** A model without its data: scores of features, and what a calibrator makes of the score. */
export interface Predictor {
  /** Numbers that the score has. */
  readonly targets: number;
  readonly score: (features: Flow<'vector'>) => Flow<'vector'>;
  /** Of models of two classes with a calibrator. */
  readonly probability?: (score: Flow<'vector'>) => Flow<'vector'>;
}

/** @throws ERR_MLNET_COLUMN when the features are not as many as the model has. */
export function ofSize(features: Flow<'vector'>, size: number, at: string): Flow<'vector'> {
  const received = sizeOf(features.type);
  if (received === size) return features;
  throw mlNetError('ERR_MLNET_COLUMN', { expected: `${size} features`, received: `${received}`, at });
}
