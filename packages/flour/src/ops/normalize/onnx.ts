import { onnxMappings } from '../../onnx-mapping.js';
import { featuresOf } from '../cast/features.js';
import './index.js';

const norms = { L1: 'l1', L2: 'l2', MAX: 'max' } as const;

export const onnx = onnxMappings({
  domain: 'ai.onnx.ml',
  operator: 'Normalizer',
  versions: [1, 5],
  raise(use) {
    const norm = use.attributes.string('norm', 'MAX');
    if (!Object.hasOwn(norms, norm)) throw use.unsupported(`norm "${norm}"`);
    return [featuresOf(use).normalize(norms[norm as keyof typeof norms])];
  },
});
