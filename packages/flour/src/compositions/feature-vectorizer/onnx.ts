import { sizeOf } from '@brezel/core';
import { onnxMappings } from '../../onnx-mapping.js';
import { featuresOf } from '../../ops/cast/features.js';
import './index.js';

export const onnx = onnxMappings({
  domain: 'ai.onnx.ml',
  operator: 'FeatureVectorizer',
  versions: [1, 5],
  convert(use) {
    const sizes = use.attributes.has('inputdimensions') ? use.attributes.ints('inputdimensions') : undefined;
    const parts = use.inputs.map((_, index) => {
      const part = featuresOf(use, index);
      if (sizes !== undefined && sizes[index] !== sizeOf(part.type))
        throw use.unsupported(`inputdimensions [${sizes}] where input ${index} has ${sizeOf(part.type)} columns`);
      return part;
    });
    const [first, ...others] = parts;
    if (first === undefined) throw use.unsupported('a FeatureVectorizer without inputs');
    return [others.length === 0 ? first : first.concat(...others)];
  },
});
