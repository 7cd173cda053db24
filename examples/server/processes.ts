import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { client } from './client.js';

const BREZEL = fileURLToPath(new URL('../../../packages/brezel/bin/brezel.js', import.meta.url));

/** Runs `brezel serve --processes 2` with a model, sends it one row, and stops it. */
export async function serveInProcesses(model: URL): Promise<string> {
  const args = [BREZEL, 'serve', `sentiment=${fileURLToPath(model)}`, '--port', '0', '--processes', '2'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  try {
    let url: string | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      url = /^listening on (.*)$/.exec(line)?.[1];
      if (url !== undefined) break;
    }
    if (url === undefined) throw new Error('brezel serve has ended before it was ready');
    const { post, get } = client(url);
    const { body } = await post('/predict/sentiment', { text: 'a charming little film' });
    const { processes } = JSON.parse(await get('/statistics')) as { processes: { role?: string }[] };
    const workers = processes.filter(({ role }) => role !== 'primary').length;
    return `${workers} processes answer label ${body.label}`;
  } finally {
    child.kill(); // SIGTERM: the server answers the requests in flight, and ends
    await exited;
  }
}
