import { scalar, vector } from '@brezel/core';
import { describe, expect, test } from 'vitest';
import { decodeRows, decodeValue, encodeAnswer, encodeValue } from './rows.js';

const utf8 = (text: string) => Buffer.from(text, 'utf8');
const inputs = [
  { name: 'text', type: scalar('string') },
  { name: 'x', type: vector('float32', 3) },
  { name: 'id', type: scalar('int64') },
];

describe('numbers', () => {
  test('a float32 is the shortest decimal that rounds to it', () => {
    for (const [value, text] of [
      [0.1, '0.1'],
      [1 / 3, '0.33333334'],
      [3.4028234663852886e38, '3.4028235e+38'],
      [-0, '-0'],
    ] as const) {
      expect(encodeValue(Math.fround(value), scalar('float32'))).toBe(text);
      expect(encodeValue(JSON.parse(text), scalar('float32'))).toBe(text);
    }
  });

  test('values that JSON does not support are strings', () => {
    expect(encodeValue([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], vector('float32', 3))).toBe(
      '["NaN", "Infinity", "-Infinity"]',
    );
    expect(encodeValue(2n ** 53n + 1n, scalar('int64'))).toBe('"9007199254740993"');
    expect(encodeValue(-(2 ** 60), scalar('int64'))).toBe('"-1152921504606846976"');
    expect(encodeValue(2 ** 53 - 1, scalar('int64'))).toBe('9007199254740991');
    expect(encodeValue(0.1, scalar('float64'))).toBe('0.1');
    expect(encodeValue(true, scalar('bool'))).toBe('true');
  });

  test('texts become numbers only where numbers are expected', () => {
    expect(decodeValue(['NaN', 'Infinity', '-Infinity', 1.5], 'float32')).toEqual([
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      1.5,
    ]);
    expect(decodeValue('NaN', 'string')).toBe('NaN');
    expect(decodeValue('NaN', 'int64')).toBe('NaN');
    expect(decodeValue('9007199254740993', 'int64')).toBe(9007199254740993n);
    expect(decodeValue('1.5', 'float64')).toBe('1.5');
  });
});

describe('lines', () => {
  test('blank lines are skipped and counted; a byte order mark and CRLF are accepted', () => {
    const rows = decodeRows(
      utf8('\ufeff{"text":"a"}\r\n\r\n   \n{"text":"NaN","x":["NaN",1,2],"id":"9007199254740993"}'),
      inputs,
    );
    expect(rows.map((row) => row.line)).toEqual([1, 4]);
    expect(rows[1]!.fields).toEqual({ text: 'NaN', x: [Number.NaN, 1, 2], id: 9007199254740993n });
  });

  test('unknown fields, also __proto__, stay in the row, so that the runtime can report them', () => {
    const [row] = decodeRows(utf8('{"__proto__": {"text": "a"}, "more": 1}'), inputs);
    expect(Object.keys(row!.fields)).toEqual(['__proto__', 'more']);
  });

  test.each([
    ['{"text": "a"}\n{oops', 'line 2'],
    ['\n\n[1]', 'line 3'],
    ['null', 'line 1'],
    ['{"text": "a"}\n"text"', 'line 2'],
  ])('%j is rejected at %s', (text, place) => {
    expect(() => decodeRows(utf8(text), inputs)).toThrow(`expected a JSON object at ${place}`);
  });

  test('a text or a list is the row of a model with one input', () => {
    const rowOf = (text: string, input: number) => decodeRows(utf8(text), [inputs[input]!])[0]!.fields;
    expect(rowOf('"NaN"', 0)).toEqual({ text: 'NaN' });
    expect(rowOf('[1, "NaN", 3]', 1)).toEqual({ x: [1, Number.NaN, 3] });
    for (const [text, input] of [
      ['"a"', 1],
      ['[1]', 2],
      ['["a"]', 0],
      ['1', 2],
    ] as const)
      expect(() => rowOf(text, input)).toThrow('expected a JSON object at line 1');
  });

  test('bytes that are not UTF-8 are rejected', () => {
    expect(() => decodeRows(Buffer.from([0x7b, 0x7d, 0x0a, 0xff, 0xfe]), inputs)).toThrow('expected UTF-8 at line 2');
  });

  test('answers keep the order of the outputs; a map is an object', () => {
    const outputs = [
      { name: 'label', type: scalar('string'), slot: 1, offset: 0, length: 1 },
      { name: 'p', type: { kind: 'map', keys: ['1', 'a "b"'] }, slot: 2, offset: 1, length: 2 },
    ] as const;
    const answer = { p: { '1': Math.fround(0.1), 'a "b"': Number.NaN }, label: 'a\ud800' };
    expect(encodeAnswer(outputs, answer)).toBe('{"label": "a\\ud800", "p": {"1": 0.1, "a \\"b\\"": "NaN"}}');
  });
});
