import { expect, test } from 'vitest';
import { BrezelError } from './errors.js';
import { ErrorSender } from './sent-errors.js';

const sender = new ErrorSender([]);
const arrived = (error: unknown): Error => sender.receive(structuredClone(sender.send(error)));

const withFields = (error: Error, fields: object): Error => Object.assign(error, fields);

test.each<[string, unknown, string]>([
  ['an object without a prototype', Object.create(null), 'a value without text (object)'],
  ['a symbol', Symbol('end'), 'Symbol(end)'],
  ['undefined', undefined, 'undefined'],
  ['a text that throws', { toString: () => JSON.parse('{') }, 'a value without text (object)'],
  [
    'a message that is an object',
    withFields(new Error(), { message: Object.create(null) }),
    'a value without text (object)',
  ],
  ['a message that is a function', withFields(new Error(), { message: () => 1 }), '() => 1'],
  ['a stack that is a function', withFields(new Error('end'), { stack: () => 1 }), 'end'],
  ['a name that is a symbol', withFields(new TypeError('end'), { name: Symbol('odd') }), 'end'],
  ['a field that is a function', withFields(new Error('end'), { retry: () => 1 }), 'end'],
])('%s arrives as an error', (_, thrown, message) => {
  const error = arrived(thrown);
  expect(error).toBeInstanceOf(Error);
  expect(error.message).toBe(message);
});

test('a cause without text arrives as an error', () => {
  expect(arrived(new Error('end', { cause: Object.create(null) })).cause).toBeInstanceOf(Error);
});

test('details that cannot be cloned are dropped, and the others arrive', () => {
  const details = { received: 'x', row: 2, at: 'row 2', hint: (() => 'help') as never };
  const error = arrived(new BrezelError('ERR_TEST', { message: 'end', hint: 'help' }, details)) as BrezelError;
  expect(error).toBeInstanceOf(BrezelError);
  expect(error.code).toBe('ERR_TEST');
  expect(error.details).toEqual({ received: 'x', row: 2, at: 'row 2' });
});
