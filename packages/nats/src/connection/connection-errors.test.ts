import { ClosedConnectionError, InvalidArgumentError } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { natsError } from '../errors.js';
import { connectionError } from './connection-errors.js';

test.each([
  [new ClosedConnectionError(), 'ERR_NATS_CONNECTION'],
  [InvalidArgumentError.format('payload', 'max_payload size exceeded'), 'ERR_NATS_TOO_LARGE'],
  ['a text', 'ERR_NATS_CONNECTION'],
])('gets a code: %s', (cause, code) => {
  expect(connectionError(cause)).toMatchObject({ name: 'NatsError', code, cause });
});

test('keeps an error of this package', () => {
  const error = natsError('ERR_NATS_VALUE');
  expect(connectionError(error)).toBe(error);
});
