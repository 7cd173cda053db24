// Prints the memory of `brezel serve` with one process and with several. Needs Linux and a build.
// Usage: node scripts/server-memory.mjs [--processes N] MODEL...
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename, dirname, extname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { processes: { type: 'string', default: '2' } },
  allowPositionals: true,
});
const brezel = fileURLToPath(new URL('../packages/brezel/bin/brezel.js', import.meta.url));
const MEBIBYTE = 2 ** 20;

/** Names a model by its file, or by its folder if the file is `model.onnx`. */
function named(path) {
  const file = basename(path, extname(path));
  return `${file === 'model' ? basename(dirname(resolve(path))) : file}=${path}`;
}

/**
 * Starts a server and sends rows to each model, each over a new connection, so often that every
 * process should have answered some of them. Returns the statistics of the server.
 */
async function memoryOf(processes) {
  const args = [brezel, 'serve', ...positionals.map(named), '--port', '0', '--processes', `${processes}`];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(server, 'close');
  let url;
  for await (const line of createInterface({ input: server.stdout })) {
    url = line.slice('listening on '.length);
    break;
  }
  const headers = { 'content-type': 'application/json', connection: 'close' };
  const statistics = async () => (await fetch(`${url}/statistics`, { headers })).json();
  const { versions } = await statistics();
  for (let round = 0; round < processes; round++)
    for (const { version } of versions)
      for (let request = 0; request < processes; request++)
        await fetch(`${url}/predict/${version}`, { method: 'POST', headers, body: '{"text": "a good film"}' });
  const result = await statistics();
  server.kill('SIGTERM');
  await closed;
  return result;
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const mebibytes = (bytes) => (bytes / MEBIBYTE).toFixed(0);

console.log(`${positionals.length} models\n`);
console.log('| processes | RSS of each (MiB) | sum of RSS (MiB) | sum of PSS (MiB) | parameters (MiB) |');
console.log('|---|---|--:|--:|--:|');
for (const count of [1, Number(values.processes)]) {
  const { processes, parameters } = await memoryOf(count);
  const each = processes.map(({ rssBytes, role }) => `${mebibytes(rssBytes)}${role === undefined ? '' : ` (${role})`}`);
  const [rss, pss] = [processes.map(({ rssBytes }) => rssBytes), processes.map(({ pssBytes }) => pssBytes)];
  const cells = [
    count,
    each.join(', '),
    mebibytes(sum(rss)),
    mebibytes(sum(pss)),
    (parameters.bytes / MEBIBYTE).toFixed(1),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
