import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { goals, parseRun } from '../report/goals.mjs';

// Runs experiments at the smallest scale. They must run to their end, and the goals must find their
// records. The numbers are meaningless.

const SCALE = process.env.BREZEL_BENCH_SCALE ?? '0.003';
const EXPERIMENTS = (process.env.BREZEL_BENCH_NAMES ?? 'events fig9-latency stall').split(' ');
console.info(`BREZEL_BENCH_SCALE=${SCALE} BREZEL_BENCH_NAMES='${EXPERIMENTS.join(' ')}'`);

const folder = mkdtempSync(join(tmpdir(), 'brezel-experiments-'));
afterAll(() => rmSync(folder, { recursive: true }));
const root = fileURLToPath(new URL('../..', import.meta.url));

it.each(EXPERIMENTS)('%s', (name) => {
  const out = join(folder, `${name}.jsonl`);
  const run = ['benchmarks/run.mjs', '--suite', 'paper', name, '--scale', SCALE, '--out', out];
  const { status, stdout, stderr } = spawnSync(process.execPath, run, { cwd: root, encoding: 'utf8' });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  const { about, records } = parseRun(readFileSync(out, 'utf8'));
  expect(about).toMatchObject({ kind: 'machine', quick: true, scale: Number(SCALE) });
  for (const record of records) expect(record).toMatchObject({ bench: name, scale: Number(SCALE) });
  const missing = records.filter(({ kind }) => kind === 'missing').map(({ what }) => String(what));
  for (const goal of goals.filter(({ bench }) => bench === name)) {
    const about = `${goal.goal} ${goal.part}`;
    if (records.some(goal.select)) continue;
    expect(
      missing.some((what) => what.includes(goal.goal)),
      `${about}: a record, or why there is none`,
    ).toBe(true);
    console.info(`${about}: missing`);
  }
  const said = records.filter(({ kind }) => kind === 'binds');
  for (const one of goals.filter((one) => one.bench === name && records.some(one.select))) {
    const [goal, part] = one.limitOf;
    expect(said, `what limits ${one.goal} ${one.part}`).toContainEqual(expect.objectContaining({ goal, part }));
  }
  for (const { goal, part, text } of said) {
    expect(goals.map((one) => `${one.goal} ${one.part}`)).toContain(`${goal} ${part}`);
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
  }
});
