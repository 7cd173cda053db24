import type { Flow } from '../../flow.js';
import type { OnnxUse } from '../../onnx-mapping.js';
import { softmax } from './index.js';

/** The `post_transform` of ONNX-ML models over a vector of scores. */
export function postTransform(use: OnnxUse, scores: Flow<'vector'>, transform: string): Flow<'vector'> {
  switch (transform) {
    case 'NONE':
      return scores;
    case 'LOGISTIC':
      return scores.map('sigmoid');
    case 'SOFTMAX':
      return scores.softmax();
    case 'SOFTMAX_ZERO':
      return use.flour.apply<'vector'>(softmax, [scores], { attributes: { keepZeros: true } });
    default:
      throw use.unsupported(`post_transform ${transform}`);
  }
}
