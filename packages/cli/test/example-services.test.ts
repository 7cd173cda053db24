import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { brezel, model, root } from './brezel.js';

/** Starts an example on a free port. Returns its URL, and a function that stops it by SIGTERM. */
async function start(name: string) {
  const child = spawn(process.execPath, ['scripts/run-example.mjs', name, '0'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  await once(reader, 'line');
  const url = /listening on (\S+);/.exec(lines[0]!)![1]!;
  const stop = async () => {
    child.kill('SIGTERM');
    const [code] = await once(child, 'close');
    return { code, lines };
  };
  return { url, stop };
}

const post = async (url: string, row: unknown) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(row) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

test.each(['fastify-service', 'express-service'])('%s answers, reports bad rows and stops', async (name) => {
  const { url, stop } = await start(name);
  const good = await post(`${url}/predict/film`, { text: 'a charming little film' });
  expect(good).toMatchObject({ status: 200, body: { label: 1 } });
  expect((await post(`${url}/predict/film`, { txt: 'no such field' })).status).toBe(400);
  expect((await post(`${url}/predict/none`, { text: 'no such model' })).status).toBe(404);
  const { code, lines } = await stop();
  expect(code).toBe(0);
  expect(lines.at(-1)).toBe('closed');
});

test('express-service reports invalid rows in the problem format', async () => {
  const { url, stop } = await start('express-service');
  const { body } = await post(`${url}/predict/film`, { text: 7 });
  expect(body).toMatchObject({ type: 'urn:brezel:error:ERR_RUNTIME_INPUT', status: 400, input: 'text' });
  await stop();
});

test('the types of fastify-service are those that brezel types writes', async () => {
  const { out } = await brezel(['types', `film=${model(0)}`]);
  expect(readFileSync(join(root, 'examples/fastify-service/models.d.ts'), 'utf8')).toBe(out);
});
