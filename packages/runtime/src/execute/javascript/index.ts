import type { FastKernel } from '@brezel/core';
import { countLinear } from './count-linear.js';
import { linkedForest, perfectForest } from './forest.js';
import { linear } from './linear.js';
import { normalize } from './normalize.js';
import { textNgram } from './text-ngram.js';
import { weight } from './weight.js';

/**
 * Fast JavaScript kernels for machines without an addon. Keys are the names of the native kernels.
 */
export const fastKernels: Readonly<Record<string, FastKernel>> = {
  count_linear: countLinear,
  linear,
  linked_forest: linkedForest,
  normalize,
  perfect_forest: perfectForest,
  text_ngram: textNgram,
  weight,
};
