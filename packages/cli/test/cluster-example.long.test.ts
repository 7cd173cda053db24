import { expect, test } from 'vitest';
import { hasNatsServer } from '../../nats/test/nats-server.js';
import { runScript } from './brezel.js';

test.skipIf(!hasNatsServer)('the example cluster has no errors and no wrong answers', async () => {
  const { code, out, err } = await runScript('scripts/run-example.mjs', ['cluster']);
  console.log(out);
  expect(err).toBe('');
  expect(code).toBe(0);
  expect(out.match(/\d+ requests, 0 errors, 0 wrong answers/g)?.length).toBe(6);
  expect(out).toContain('came back: 0 models are elsewhere');
  expect(out).toContain('10000 answers, equal to one process: true');
});
