import { describe, expect, test } from 'vitest';
import { datatypes } from './datatypes.js';
import { binaryElements } from './elements.js';
import { jsonElements } from './json-elements.js';
import { checkLoadParameters } from './repository.js';

const BYTES = datatypes.get('BYTES')!;
const MOST = 2 ** 20;

/** A datatype that fails if something creates an object for an element. */
const counted = {
  ...BYTES,
  fromBytes: () => expect.unreachable('elements were created'),
  fromJson: () => expect.unreachable('an element was created'),
};

const details = (error: unknown) => (error as { details: object }).details;
const thrown = (call: () => unknown): unknown => {
  try {
    return call();
  } catch (error) {
    return error;
  }
};

/** Reads empty texts in each form of a request. */
const forms = {
  'as bytes': (count: number, shape: number[], maxRows?: number, type = BYTES) =>
    binaryElements(new Uint8Array(4 * count), type, shape, 'x', maxRows),
  'as JSON': (count: number, shape: number[], maxRows?: number, type = BYTES) =>
    jsonElements(new Array(count).fill(''), type, shape, false, 'x', maxRows),
  'as base64': (count: number, shape: number[], maxRows?: number, type = BYTES) =>
    jsonElements(new Array(count).fill(''), type, shape, true, 'x', maxRows),
};

describe.each(Object.entries(forms))('texts %s', (_, read) => {
  test('have limits that hold before an element is created', () => {
    const rows = thrown(() => read(11, [11], 10, counted));
    expect(rows).toMatchObject({ kind: 'ROWS', details: { expected: 'at most 10 rows', received: '11' } });
    const texts = thrown(() => read(MOST + 2, [2, MOST / 2 + 1], 10, counted));
    expect(texts).toMatchObject({
      kind: 'TENSOR',
      details: { expected: `at most ${MOST} texts in a tensor`, at: 'x' },
    });
    expect(thrown(() => read(3, [2], 10, counted))).toMatchObject({ kind: 'TENSOR' });
  });

  test('have no limits without maxRows', () => {
    expect(read(MOST + 1, [MOST + 1])).toHaveLength(MOST + 1);
    expect(read(MOST, [1, MOST], 1)).toHaveLength(MOST);
    expect(read(0, [0], 1)).toHaveLength(0);
  });
});

test('empty texts share their bytes', () => {
  for (const elements of [forms['as bytes'](2, [2]), forms['as base64'](2, [2])]) {
    expect(elements[0]).toEqual(new Uint8Array());
    expect(elements[0]).toBe(elements[1]);
  }
});

test('other datatypes have a limit of rows only', () => {
  const read = (shape: number[]) =>
    jsonElements(new Array(MOST + 1).fill(1), datatypes.get('FP32')!, shape, false, 'x', 1);
  expect(read([1, MOST + 1])).toHaveLength(MOST + 1);
  expect(thrown(() => read([MOST + 1]))).toMatchObject({ kind: 'ROWS' });
});

test('names of parameters are quoted', () => {
  const error = thrown(() => checkLoadParameters(['config\n\u001b[2J', 'file']));
  expect(details(error)).toMatchObject({ received: '"config\\n\\u001b[2J, file"' });
});
