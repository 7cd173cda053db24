import { expect, test } from 'vitest';
import { payloadLimitOf } from './payload-limit.js';

test('is the last known limit while the connection is lost', () => {
  const connection: { info?: { max_payload: number } } = { info: { max_payload: 7 } };
  const limit = payloadLimitOf(connection as never);
  delete connection.info;
  expect(limit()).toBe(7);
  connection.info = { max_payload: 9 };
  expect(limit()).toBe(9);
  delete connection.info;
  expect(limit()).toBe(9);
});

test('is 1 MiB if NATS has not reported a limit', () => {
  expect(payloadLimitOf({} as never)()).toBe(2 ** 20);
});
