import type { Flow } from '../../flow.js';
import type { OnnxUse } from '../../onnx-mapping.js';
import { binaryScores } from './index.js';
import type { BinaryMode } from './reference.js';

/**
 * Adds the scores of both classes for an ONNX-ML classifier with a single score, as onnxruntime
 * does. With post_transform LOGISTIC, both scores become probabilities. With NONE, SOFTMAX and
 * SOFTMAX_ZERO, the formula `raw` computes them, because softmax has no effect on a single score.
 * Other transforms are unsupported.
 */
export function completedScores(
  use: OnnxUse,
  score: Flow<'vector'>,
  transform: string,
  raw: BinaryMode,
): Flow<'vector'> {
  if (!['NONE', 'LOGISTIC', 'SOFTMAX', 'SOFTMAX_ZERO'].includes(transform)) {
    throw use.unsupported(`post_transform ${transform} of one score`);
  }
  const mode = transform === 'LOGISTIC' ? 'logistic' : raw;
  return use.flour.apply<'vector'>(binaryScores, [score], { attributes: { mode } });
}
