import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import './index.js';

export const onnx = onnxMappings({
  domain: 'ai.onnx.ml',
  operator: 'Scaler',
  versions: [1, 5],
  convert(use) {
    const [offset, scale] = ['offset', 'scale'].map((name) => {
      if (!use.attributes.has(name)) throw use.unsupported(`a Scaler without ${name}`, 'the file is damaged');
      return use.attributes.floats(name);
    });
    return [(use.row(0) as Flow<'vector'>).scale({ offset: offset!, scale: scale! })];
  },
});
