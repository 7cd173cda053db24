import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { buffersOf, receivedValue, sentValue } from './sent-value.js';

const stages = (count: number, steps: number) =>
  Array.from({ length: count }, (_, stage) => ({
    key: `${stage}`,
    steps: Array.from({ length: steps }, (_, step) => ({ operator: 'add', inputs: [step, stage] })),
  }));

const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, field) => [`field ${field}`, `${field}`]));

test.each([
  ['small values', { a: [1, 'x', null, undefined], b: { c: [] }, d: undefined }],
  ['numbers', [Number.NaN, -0, 2n ** 70n, Number.POSITIVE_INFINITY]],
  ['a list of small items', { stages: stages(3000, 1) }],
  ['lists in one item of a short list', { stages: stages(1, 5000) }],
  ['long lists in a long list', { stages: stages(40, 1500), other: stages(2, 2) }],
  ['a long list of primitive values', Array.from({ length: 5000 }, (_, index) => index)],
  ['typed arrays', { data: Float32Array.of(1, 2), list: Array.from({ length: 2000 }, () => BigInt64Array.of(5n)) }],
  ['an object with many fields', { names: fields(5000), few: fields(3) }],
  ['many objects in an object', Object.fromEntries(Array.from({ length: 4 }, (_, at) => [`f${at}`, fields(1500)]))],
  ['a long object with names of the prototype', { ...fields(2000), ...JSON.parse('{"__proto__": {"a": 1}}') }],
  ['names of the prototype', JSON.parse('{"__proto__": {"a": 1}, "constructor": [2]}')],
])('%s arrive unchanged', async (_, value) => {
  expect(await receivedValue(sentValue(value))).toEqual(value);
});

test('equal lists and objects of primitive values are one object in a piece', async () => {
  const value = Array.from({ length: 3 }, (_, index) => ({ index, type: { kind: 'scalar', size: 1 }, none: [] }));
  const [first, second] = await receivedValue<typeof value>(sentValue(value));
  expect(second).toEqual({ index: 1, type: { kind: 'scalar', size: 1 }, none: [] });
  expect(second!.type).toBe(first!.type);
  expect(second!.none).toBe(first!.none);
});

test('values that JSON does not distinguish stay different', async () => {
  const values = [
    [Number.NaN],
    [null],
    [undefined],
    [-0],
    [0],
    ['0'],
    [5n],
    [5],
    {},
    [],
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ];
  const received = await receivedValue<typeof values>(sentValue([...values, ...values]));
  expect(received).toEqual([...values, ...values]);
  expect(Object.keys(received[11]!)).toEqual(['b', 'a']);
});

test.each([
  ['lists', { stages: stages(40, 1500) }],
  ['an object', { parameters: fields(120_000) }],
])('the event loop runs while %s is read', async (_, value) => {
  const sent = sentValue(value);
  expect(Math.max(...buffersOf(sent).map(({ byteLength }) => byteLength))).toBeLessThan(40_000);
  let turns = 0;
  let isRead = false;
  const reading = receivedValue(sent).then((received) => {
    isRead = true;
    return received;
  });
  for (; !isRead; turns++) await nextTurn();
  expect(await reading).toEqual(value);
  expect(turns).toBeGreaterThan(100);
});
