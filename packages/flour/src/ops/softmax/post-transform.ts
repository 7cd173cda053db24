import { sizeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import type { OnnxUse } from '../../onnx-mapping.js';
import '../probit/index.js';
import { softmax } from './index.js';

/**
 * Applies the `post_transform` of ONNX-ML models to a vector of scores. As in onnxruntime, only
 * PROBIT changes the single score of a regressor.
 */
export function postTransform(
  use: OnnxUse,
  scores: Flow<'vector'>,
  transform: string,
  model: 'classifier' | 'regressor' = 'classifier',
): Flow<'vector'> {
  if (model === 'regressor' && sizeOf(scores.type) === 1 && !['NONE', 'PROBIT'].includes(transform)) {
    use.warn(`post_transform ${transform} of one target: left out, as onnxruntime leaves it out`);
    return scores;
  }
  switch (transform) {
    case 'NONE':
      return scores;
    case 'LOGISTIC':
      return scores.map('sigmoid');
    case 'SOFTMAX':
      return scores.softmax();
    case 'SOFTMAX_ZERO':
      return use.flour.apply<'vector'>(softmax, [scores], { attributes: { keepZeros: true } });
    case 'PROBIT':
      return scores.probit();
    default:
      throw use.unsupported(`post_transform ${transform}`);
  }
}
