import { dtypeOf, shapeOf, sizeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import '../cast/index.js';
import './index.js';

export const onnx = onnxMappings({
  domain: 'ai.onnx.ml',
  operator: 'OneHotEncoder',
  versions: [1, 5],
  raise(use) {
    const { attributes } = use;
    const flow = use.row(0) as Flow<'vector'>;
    const isText = dtypeOf(flow.type) === 'string';
    const list = (name: string, read: () => readonly (string | number)[]) => (attributes.has(name) ? read() : []);
    const strings = list('cats_strings', () => attributes.strings('cats_strings'));
    const integers = list('cats_int64s', () => attributes.ints('cats_int64s'));
    if (strings.length > 0 === integers.length > 0)
      throw use.unsupported('a OneHotEncoder with not exactly one of cats_strings and cats_int64s');
    if (isText !== strings.length > 0)
      throw use.unsupported(`categories of another type than the input, ${dtypeOf(flow.type)}`);
    const categories = (isText ? strings : integers) as readonly string[] | readonly number[];
    const unknown = attributes.int('zeros', 1) === 0 ? 'error' : 'zeros';
    // Numbers of other types are cut to integers.
    const source = isText || dtypeOf(flow.type) === 'int64' ? flow : flow.cast('int64');
    return [source.oneHot({ categories, unknown })];
  },
  /** Categories have an axis of their own. */
  layout(use, output) {
    const { type } = use.row(0);
    const values = shapeOf(type);
    return { dims: [1, ...values, sizeOf(output.type) / sizeOf(type)], axis: 0 };
  },
});
