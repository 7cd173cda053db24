import { dtypeOf, shapeOf, sizeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import '../cast/index.js';
import { repeatRow } from '../constant-row/index.js';
import './index.js';

export const onnx = onnxMappings({
  domain: 'ai.onnx.ml',
  operator: 'OneHotEncoder',
  versions: [1, 5],
  convert(use) {
    const { attributes } = use;
    const flow = use.row(0) as Flow<'vector'>;
    const isText = dtypeOf(flow.type) === 'string';
    const list = (name: string, read: () => readonly (string | number)[]) => (attributes.has(name) ? read() : []);
    const strings = list('cats_strings', () => attributes.strings('cats_strings'));
    const integers = list('cats_int64s', () => attributes.ints('cats_int64s'));
    if (strings.length > 0 === integers.length > 0)
      throw use.invalid('one of cats_strings and cats_int64s', strings.length > 0 ? 'both' : 'neither');
    const unknown = attributes.int('zeros', 1) === 0 ? 'error' : 'zeros';
    if (isText !== strings.length > 0) return [withoutCategory(use, flow, strings.length + integers.length, unknown)];
    const categories = (isText ? strings : integers) as readonly string[] | readonly number[];
    // Numbers of other types are truncated to integers.
    const source = isText || dtypeOf(flow.type) === 'int64' ? flow : flow.cast('int64');
    return [source.oneHot({ categories, unknown })];
  },
  /** Returns an output shape with a separate axis for the categories, as in ONNX. */
  layout(use, output) {
    const { type } = use.row(0);
    const values = shapeOf(type);
    return { dims: [1, ...values, sizeOf(output.type) / sizeOf(type)], axis: 0 };
  },
});

/**
 * Converts a node with categories that are texts and an input of numbers, or with categories that
 * are numbers and an input of texts. No value can equal a category. As in onnxruntime, the result
 * is zero for every row.
 */
function withoutCategory(use: OnnxUse, flow: Flow, categories: number, unknown: 'zeros' | 'error'): Flow {
  const [name, type] = [use.attributes.has('cats_strings') ? 'cats_strings' : 'cats_int64s', dtypeOf(flow.type)];
  if (unknown === 'error') throw use.invalid(`categories of type ${type}, as the input`, `${name} and zeros=0`);
  use.warn(`${name} over an input of ${type}: no category matches, so every output is 0; the file defines the answer`);
  const size = sizeOf(flow.type) * categories;
  return repeatRow(flow, { dtype: 'float32', shape: [size], data: new Float32Array(size) });
}
