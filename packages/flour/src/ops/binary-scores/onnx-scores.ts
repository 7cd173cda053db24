import type { Flow } from '../../flow.js';
import type { OnnxUse } from '../../onnx-mapping.js';
import { binaryScores } from './index.js';
import type { BinaryMode } from './reference.js';

/**
 * Completes the single score of an ONNX-ML classifier as onnxruntime does: LOGISTIC links both
 * scores, and the softmax transforms leave a single score unchanged.
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
