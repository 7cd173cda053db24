import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import { classLabels } from '../lookup/labels.js';
import './index.js';

export const onnx = onnxMappings({
  domain: 'ai.onnx.ml',
  operator: 'ZipMap',
  versions: [1, 5],
  convert(use) {
    const { values } = classLabels(use, 'classlabels_int64s', 'classlabels_strings');
    return [(use.row(0) as Flow<'vector'>).zipMap(Array.from(values as readonly (string | number)[], String))];
  },
});
