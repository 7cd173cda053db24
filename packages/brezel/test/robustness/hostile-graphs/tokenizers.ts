import { file, floats, microsoft, ml, ngramModel, node, TEXT } from '../models.js';
import { type Attributes, type Case, i, REFUSED, s } from './case.js';

const tokens = (tokenizer: Attributes) => () => ngramModel({}, tokenizer);
const pattern = (expression: string) => tokens({ tokenexp: s(expression) });

/** Files with Tokenizer and StringNormalizer, mostly with unusual patterns. */
export const tokenizers: readonly Case[] = [
  ['nested repetition', pattern('((a+)+)+b'), 'works'],
  ['many alternatives', pattern(`(${'a|'.repeat(5000)}b)+`), 'works'],
  ['counted repetition, nested', pattern('((a{100}){100}){100}'), /works|ERR_/],
  ['counted repetition, large', pattern('(a{1000}){1000}'), /works|ERR_/],
  ['counted repetition of everything', pattern('.{0,1000}x.{0,1000}'), 'works'],
  ['10 000 groups', pattern(`${'('.repeat(10_000)}a${')'.repeat(10_000)}`), /works|ERR_/],
  ['an open bracket', pattern('[a-z'), REFUSED],
  ['a back reference', pattern('(a)\\1'), REFUSED],
  ['look-ahead', pattern('a(?=b)'), REFUSED],
  ['a reversed range', pattern('[z-a]'), REFUSED],
  ['a star of nothing', pattern('*'), REFUSED],
  ['nothing', pattern(''), /works|ERR_/],
  ['a class of everything', pattern('[\\x{0}-\\x{10FFFF}]+'), 'works'],
  ['zero bytes', pattern('\0+'), 'works'],
  ['a megabyte of pattern', pattern('a'.repeat(2 ** 20)), REFUSED],
  ['60 000 characters of pattern', pattern('a'.repeat(60_000)), 'works'],
  [
    '1000 separators',
    tokens({ tokenexp: undefined, separators: { strings: Array.from({ length: 1000 }, (_, at) => `s${at}`) } }),
    'works',
  ],
  ['no separators', tokens({ tokenexp: undefined, separators: { strings: [] } }), /works|ERR_/],
  [
    'an empty separator among others',
    tokens({ tokenexp: undefined, separators: { strings: ['', ' '] } }),
    /works|ERR_/,
  ],
  ['neither pattern nor separators', tokens({ tokenexp: undefined }), REFUSED],
  ['no pad_value', tokens({ pad_value: undefined }), /ERR_ONNX_ATTRIBUTE/],
  ['minimal length below 0', tokens({ mincharnum: i(-5) }), REFUSED],
  ['minimal length of 2^31 - 1', tokens({ mincharnum: i(2 ** 31 - 1) }), 'works'],
  ['minimal length of 2^31', tokens({ mincharnum: i(2 ** 31) }), REFUSED],
  ['minimal length of 2^40', tokens({ mincharnum: i(2 ** 40) }), REFUSED],
  ['minimal length of 2^62', tokens({ mincharnum: i(2n ** 62n) }), REFUSED],
  ['marks', tokens({ mark: i(1) }), /ERR_ONNX_UNSUPPORTED/],
  [
    'case change toString',
    () => file([node('StringNormalizer', ['text'], ['y'], { case_change_action: s('toString') })], TEXT, ['y']),
    /ERR_ONNX_UNSUPPORTED/,
  ],
  [
    '50 000 stop words',
    () =>
      file(
        [
          node('StringNormalizer', ['text'], ['kept'], {
            case_change_action: s('LOWER'),
            stopwords: { strings: Array.from({ length: 50_000 }, (_, at) => `w${at % 1000}`) },
          }),
          microsoft('Tokenizer', ['kept'], ['y'], { mark: i(0), pad_value: s('#'), separators: { strings: [' '] } }),
        ],
        TEXT,
        ['y'],
      ),
    'works',
  ],
  [
    'norm constructor',
    () => file([ml('Normalizer', ['x'], ['y'], { norm: s('constructor') })], floats(2), ['y']),
    /ERR_ONNX_UNSUPPORTED/,
  ],
];
