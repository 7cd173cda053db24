import type { DictionaryType } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import '../cast/index.js';
import '../parse-number/index.js';
import './index.js';

export const onnx = onnxMappings(
  {
    domain: 'ai.onnx.ml',
    operator: 'DictVectorizer',
    versions: [1, 5],
    convert(use) {
      const [flow, { keys }] = dictionaryOf(use);
      const name = keys === 'string' ? 'string_vocabulary' : 'int64_vocabulary';
      if (!use.attributes.has(name)) throw use.unsupported(`a DictVectorizer of ${keys} keys without ${name}`);
      const vocabulary = keys === 'string' ? use.attributes.strings(name) : use.attributes.ints(name).map(String);
      return [flow.lookupKeys(vocabulary)];
    },
  },
  {
    domain: 'ai.onnx.ml',
    operator: 'CastMap',
    versions: [1, 5],
    convert: (use) => [castMap(use)],
  },
);

function dictionaryOf(use: OnnxUse): [flow: Flow<'dictionary'>, type: DictionaryType] {
  const flow = use.row(0);
  if (flow.type.kind !== 'dictionary') throw use.unsupported(`a ${use.operator} of what is no map`);
  return [flow as Flow<'dictionary'>, flow.type];
}

/**
 * A CastMap with a greater `max_map` is unsupported. Without this limit, one number in a file could
 * create a list of millions of keys.
 */
const MOST_KEYS = 2 ** 16;

/**
 * Converts CastMap with `map_form` SPARSE: column k of the result holds the value of key k, for
 * each key below `max_map`. Other forms are unsupported.
 */
function castMap(use: OnnxUse): Flow {
  const [flow, { keys, values }] = dictionaryOf(use);
  const [form, to] = [use.attributes.string('map_form', 'DENSE'), use.attributes.string('cast_to', 'TO_FLOAT')];
  const size = use.attributes.int('max_map', 1);
  if (keys !== 'int64') throw use.unsupported('a CastMap of keys that are no integers');
  if (form !== 'SPARSE')
    throw use.unsupported(
      `map_form ${form}`,
      'a row of it has as many columns as its map has keys: only SPARSE has a size',
    );
  if (!(Number.isInteger(size) && size >= 1 && size <= MOST_KEYS))
    throw use.unsupported(`max_map ${size}`, `at most ${MOST_KEYS}: every row has a number for each of them`);
  const columns = Array.from({ length: size }, (_, key) => String(key));
  const dense = flow.lookupKeys(columns, { unknown: 'error', ...(to !== 'TO_STRING' && { otherwise: '0' }) });
  const isText = values === 'string';
  switch (to) {
    case 'TO_FLOAT':
      return isText ? dense.parseNumber({ unknown: 'error' }) : dense.cast('float32');
    case 'TO_INT64':
      return isText ? dense.parseNumber({ to: 'int64' }) : dense.cast('int64');
    default:
      throw use.unsupported(`cast_to ${to}`, 'ONNX does not say which text stands for a missing key');
  }
}
