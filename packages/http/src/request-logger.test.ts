import type { FastifyBaseLogger } from 'fastify';
import { expect, test } from 'vitest';
import { requestLogger } from './request-logger.js';

test('a request that writes no line creates no child logger', () => {
  const lines: unknown[] = [];
  let children = 0;
  const parent = {
    level: 'info',
    child(bindings: object) {
      children++;
      const write = (...line: unknown[]) => void lines.push([bindings, ...line]);
      return { ...parent, child: parent.child, error: write, info: write };
    },
  } as unknown as FastifyBaseLogger;
  const log = requestLogger(parent, { reqId: 'req-1' }, {});
  expect(children).toBe(0);
  log.error(new Error('lost'));
  log.info({ status: 200 }, 'request');
  expect([children, lines]).toEqual([
    1,
    [
      [{ reqId: 'req-1' }, new Error('lost')],
      [{ reqId: 'req-1' }, { status: 200 }, 'request'],
    ],
  ]);
  expect(log.level).toBe('info');
});
