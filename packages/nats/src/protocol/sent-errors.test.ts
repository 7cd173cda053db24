import { BrezelError } from 'brezel';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../test/errors.js';
import { receivedError, sentError, withRowsBefore } from './sent-errors.js';

const details = { expected: 'a', received: 'b', at: 'row 2', row: 2, input: 'x', index: 3, hint: 'help' };
const error = () => new BrezelError('ERR_TEST', { message: 'm', hint: 'h', statusCode: 400 }, details);

describe('a received error', () => {
  test('has the details of the sent error', () => {
    expect(receivedError(sentError(error())).details).toStrictEqual(details);
  });

  test('has no details of other names or types', () => {
    const wrong = { expected: 1, received: {}, at: [], row: -1, index: 0.5, input: null, hint: 7n, cause: 'x', z: 'y' };
    for (const given of [wrong, { row: '2', index: Number.NaN }, [], new Map([['row', 1]])])
      expect(receivedError({ ...sentError(error()), details: given }).details).toStrictEqual({});
  });

  test.each([200, 399, 600, 400.5, -500, Number.NaN, '400', undefined])('needs a status of an error: %s', (status) => {
    expect(codeOf(() => receivedError({ ...sentError(error()), statusCode: status }))).toBe('ERR_NATS_MESSAGE');
  });

  test.each([null, 'details', undefined])('needs an object of details: %s', (given) => {
    expect(codeOf(() => receivedError({ ...sentError(error()), details: given }))).toBe('ERR_NATS_MESSAGE');
  });
});

describe('the rows of earlier messages', () => {
  test('are added to the index of the row', () => {
    const moved = withRowsBefore(receivedError(sentError(error())), 256);
    expect(moved).toMatchObject({ details: { at: 'row 258', row: 258 }, message: 'expected a at row 258, received b' });
  });

  test.each([new TypeError('x'), 'a text', undefined])('do not change other errors: %s', (other) => {
    expect(withRowsBefore(other, 256)).toBe(other);
  });
});
