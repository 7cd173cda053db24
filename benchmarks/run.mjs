// npm run bench [-- name ...] [--quick] [--out FILE]: runs benchmarks one after another, each in a process of its own.
// The experiments of the paper: paper.mjs.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { machine, machineLine } from './lib/machine.mjs';
import { runUnit } from './lib/run-unit.mjs';

/** Races in one process that goals wait for: they run in some, so that their spread is that of processes, too. */
const RACES = ['sa-single', 'forest', 'js-fallback'];
const PROCESSES = 3;

const here = fileURLToPath(new URL('.', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const benchmarks = ['macro', 'micro'].flatMap((folder) =>
  readdirSync(resolve(here, folder)).map((file) => ({
    name: file.replace(/\.mjs$/, ''),
    path: resolve(here, folder, file),
  })),
);
const unknown = positionals.filter((name) => !benchmarks.some((one) => one.name === name));
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`no benchmark is called ${unknown.join(', ')}`);
  console.log(
    `usage: npm run bench -- [name ...] [--quick] [--out FILE]\nnames: ${benchmarks.map(({ name }) => name).join(', ')}`,
  );
  process.exit(unknown.length > 0 ? 2 : 0);
}

const isQuick = values.quick;
const latest = `${isQuick ? 'quick' : 'latest'}.jsonl`;
const out = resolve(values.out ?? resolve(here, 'results', latest));
mkdirSync(dirname(out), { recursive: true });
const about = machine();
writeFileSync(out, `${JSON.stringify({ kind: 'machine', quick: isQuick, ...about })}\n`);
console.log(machineLine(about));
if (isQuick) console.log('a smoke run: small models, few rounds; the numbers mean nothing');

let failed = 0;
for (const { name, path } of benchmarks.filter((one) => positionals.length === 0 || positionals.includes(one.name))) {
  console.log(`\n${name}`);
  const start = performance.now();
  const env = { ...process.env, BENCH_QUICK: isQuick ? '1' : '0' };
  const status = runUnit(path, { out, processes: isQuick || !RACES.includes(name) ? 1 : PROCESSES, env });
  if (status !== 0) failed++;
  console.log(
    `  ${status === 0 ? 'done' : `FAILED (${status})`} in ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
}
console.log(`\nrecords: ${out}`);
process.exit(failed === 0 ? 0 : 1);
