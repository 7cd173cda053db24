import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import './index.js';

export const onnx = onnxMappings({
  domain: 'com.microsoft',
  operator: 'MurmurHash3',
  versions: [1, 1],
  convert(use) {
    // A positive hash is a uint32 in the file, and an int64 in a program.
    const signed = use.attributes.int('positive', 1) === 0;
    return [(use.row(0) as Flow<'vector'>).murmurHash3({ seed: use.attributes.int('seed', 0) >>> 0, signed })];
  },
});
