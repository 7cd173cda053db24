import { dtypeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import { featuresOf } from '../cast/features.js';
import './index.js';

const norms = { L1: 'l1', L2: 'l2', MAX: 'max' } as const;

export const onnx = onnxMappings(
  {
    domain: 'ai.onnx.ml',
    operator: 'Normalizer',
    versions: [1, 5],
    convert(use) {
      const norm = use.attributes.string('norm', 'MAX');
      if (!Object.hasOwn(norms, norm)) throw use.unsupported(`norm "${norm}"`);
      return [featuresOf(use).normalize(norms[norm as keyof typeof norms])];
    },
  },
  {
    domain: '',
    operator: 'LpNormalization',
    versions: [1, 25],
    convert(use) {
      const [axis, order] = [use.attributes.int('axis', -1), use.attributes.int('p', 2)];
      const flow = use.row(0) as Flow<'vector'>;
      if (
        (axis !== 1 && axis !== -1) ||
        flow.kind !== 'vector' ||
        dtypeOf(flow.type) !== 'float32' ||
        (order !== 1 && order !== 2)
      )
        throw use.unsupported(`LpNormalization on axis ${axis}, of order ${order}`);
      return [flow.normalize(order === 1 ? 'l1' : 'l2')];
    },
  },
);
