import { DataType, tensorInput } from '@brezel/onnx';
import { file, floats, microsoft, ml, node, TEXT } from '../models.js';
import { type Case, i, ints, REFUSED, s } from './case.js';

const input =
  (shape: readonly (number | string | undefined)[], type: number = DataType.FLOAT) =>
  () =>
    file([node('Identity', ['x'], ['y'])], [tensorInput('x', type, shape)], ['y']);

/** Files with unusual declarations of inputs. */
export const inputs: readonly Case[] = [
  ['no dimensions', input([]), /ERR_ONNX_SHAPE/],
  ['three dimensions, and rows of two', input(['N', 2, 2]), /ERR_RUNTIME_INPUT/],
  ['seventeen dimensions of a row', input(['N', ...new Array<number>(17).fill(1)]), /ERR_ONNX_SHAPE/],
  ['no columns', input(['N', 0]), /ERR_ONNX_SHAPE/],
  ['fewer columns than none', input(['N', -3]), /ERR_ONNX_SHAPE/],
  ['free columns', input(['N', 'k']), /ERR_ONNX_SHAPE/],
  ['2^31 columns', input(['N', 2 ** 31]), REFUSED],
  ['2^40 columns', input(['N', 2 ** 40]), REFUSED],
  ['2^53 - 1 columns', input(['N', Number.MAX_SAFE_INTEGER]), REFUSED],
  ['2^31 columns of text', input(['N', 2 ** 31], DataType.STRING), REFUSED],
  ['an element type of a newer ONNX', input(['N', 2], 99), REFUSED],
  ['complex numbers', input(['N', 2], 14), REFUSED],
  ['two columns of text', input(['N', 2], DataType.STRING), 'works'],
  ['no batch axis to speak of', input([1, 2]), 'works'],
  ['booleans', input(['N', 3], DataType.BOOL), 'works'],
  ['int64', input(['N', 3], DataType.INT64), 'works'],
  ['double', input(['N', 3], DataType.DOUBLE), 'works'],
  ['text that is added', () => file([node('Add', ['text', 'text'], ['y'])], TEXT, ['y']), REFUSED],
  [
    'numbers that are tokenized',
    () =>
      file(
        [microsoft('Tokenizer', ['x'], ['y'], { mark: i(0), pad_value: s('#'), separators: { strings: [' '] } })],
        floats(2),
        ['y'],
      ),
    REFUSED,
  ],
  [
    'text that is classified',
    () =>
      file(
        [
          ml('LinearClassifier', ['text'], ['l', 'y'], {
            coefficients: { floats: [1] },
            classlabels_ints: ints(0, 1),
          }),
        ],
        TEXT,
        ['y'],
      ),
    REFUSED,
  ],
  [
    'tokens that leave',
    () =>
      file(
        [microsoft('Tokenizer', ['text'], ['y'], { mark: i(0), pad_value: s('#'), separators: { strings: [' '] } })],
        TEXT,
        ['y'],
      ),
    'works',
  ],
];
