import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Project, root } from './install.js';
import { installedTools } from './tools.js';

/** Loads brezel in both ways, and answers batches until a worker thread has run a part of one. */
const PROGRAM = `import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createFlour, createRuntime, importOnnx, openFleet } from 'brezel';

const require = createRequire(import.meta.url);
const isOneCopy = require('brezel').createRuntime === createRuntime;
const flour = await createFlour();
const runtime = createRuntime({ store: flour.store, executors: 1 });
const plan = runtime.register(importOnnx(readFileSync('film.onnx'), flour).program.plan());
const row = { text: 'a charming little film' };
const one = runtime.predictSync(plan, row);
const rows = Array.from({ length: 20_000 }, () => row);
let chunks = 0;
let isSame = true;
for (let batch = 0; batch < 100 && chunks === 0; batch++) {
  const answers = await runtime.predictBatch(plan, rows);
  isSame &&= answers.every(({ probabilities: [, good] }) => good === one.probabilities[1]);
  const { shared, javascript } = runtime.stats().executors;
  chunks = shared.chunks - shared.helped + (javascript.chunks - javascript.helped);
}
const { executors, plans } = runtime.stats();
await runtime.close();

const fleet = await openFleet('fleet.brezel');
const served = createRuntime({ store: fleet.store, executors: 0 });
const same = served.predictSync(served.register(fleet.plan('film')), row);
await served.close();
fleet.close();
console.log(JSON.stringify({
  engine: plans[0].engine,
  usesThreads: chunks > 0,
  lost: executors.shared.lost + executors.javascript.lost,
  isSame,
  isOneCopy,
  isSameFromFleet: JSON.stringify(same) === JSON.stringify(one),
}));
`;
/** Two processes and a worker thread answer from one fleet file. */
const CLUSTER = `import cluster from 'node:cluster';
import { Worker } from 'node:worker_threads';

const answers = [];
const answered = (answer) => {
  answers.push(answer);
  if (answers.length < 3) return;
  console.log(JSON.stringify(answers));
  for (const worker of Object.values(cluster.workers)) worker.disconnect();
};
cluster.setupPrimary({ exec: 'member.mjs' });
for (let process = 0; process < 2; process++) cluster.fork().on('message', answered);
new Worker('./member.mjs').on('message', answered);
`;
const MEMBER = `import { parentPort } from 'node:worker_threads';
import { createRuntime, openFleet } from 'brezel/serve';

const fleet = await openFleet('fleet.brezel');
const runtime = createRuntime({ store: fleet.store, executors: 0 });
const { label } = runtime.predictSync(runtime.register(fleet.plan('film')), { text: 'a charming little film' });
await runtime.close();
fleet.close();
if (parentPort) parentPort.postMessage(label);
else process.send(label);
`;
/** The body of a test file of a user. */
const USER_TEST = `test('answers a row and a batch', async () => {
  const flour = await createFlour();
  const runtime = createRuntime({ store: flour.store });
  const plan = runtime.register(importOnnx(readFileSync('film.onnx'), flour).program.plan());
  const rows = Array.from({ length: 2000 }, () => ({ text: 'a charming little film' }));
  const { label } = runtime.predictSync(plan, rows[0]);
  expect(label).toBe(1);
  expect(new Set((await runtime.predictBatch(plan, rows)).map((answer) => answer.label))).toEqual(new Set([1]));
  expect(() => runtime.predictSync(plan, { txet: '' })).toThrow(BrezelError);
  await runtime.close();
});
`;
const NAMES = '{ BrezelError, createFlour, createRuntime, importOnnx }';
const JEST = `const { readFileSync } = require('node:fs');
const ${NAMES} = require('brezel');
${USER_TEST}`;
const VITEST = `import { readFileSync } from 'node:fs';
import ${NAMES} from 'brezel';
import { expect, test } from 'vitest';
${USER_TEST}`;
const WORKS = { usesThreads: true, lost: 0, isSame: true, isOneCopy: true, isSameFromFleet: true };
const hasAddon = existsSync(join(root, 'native/build/Release/brezel.node'));

const tools = installedTools('runtimes');
/** Each runtime: its name, its file in runtimes/node_modules, and its arguments. */
const runtimes = [
  ['Node.js of this test', process.execPath, []],
  ['Node.js 22', 'node-22/bin/node', []],
  ['Node.js 24', 'node-24/bin/node', []],
  ['Bun', '@oven/bun-linux-x64/bin/bun', []],
  ['Deno', '@deno/linux-x64-glibc/deno', ['run', '--allow-all', '--node-modules-dir=manual']],
] as const;

let project: Project;
beforeAll(() => {
  project = new Project();
  copyFileSync(join(root, 'examples/models/sa-fam-a-00.onnx'), project.path('film.onnx'));
  const command = project.path('node_modules/brezel/bin/brezel.js');
  project.node([command, 'pack', 'film=film.onnx', '-o', 'fleet.brezel']);
  for (const [name, text] of Object.entries({ 'program.mjs': PROGRAM, 'member.mjs': MEMBER, 'cluster.mjs': CLUSTER }))
    project.write(name, text);
});
afterAll(() => project?.dispose());

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = { cwd: project.folder, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', ...env } } as const;
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')}: exit code ${status}\n${stdout}${stderr}`, { cause: error });
  return stdout;
}

describe('other runtimes', () => {
  for (const [name, file, args] of runtimes) {
    const command = join(tools ?? '', file);
    const missing = file !== process.execPath && (tools === undefined || !existsSync(command));
    it.skipIf(missing)(`${name} answers natively and in JavaScript, with worker threads`, () => {
      const start = [...args, 'program.mjs'];
      const program = file === process.execPath ? file : command;
      expect(JSON.parse(run(program, start))).toEqual({ ...WORKS, engine: hasAddon ? 'native' : 'wasm' });
      const inJavaScript = JSON.parse(run(program, start, { BREZEL_NATIVE: 'off' }));
      expect(inJavaScript).toEqual({ ...WORKS, engine: 'wasm' });
    });
  }
});

it('processes of node:cluster and worker threads serve one fleet file', () => {
  expect(JSON.parse(project.node(['cluster.mjs']))).toEqual([1, 1, 1]);
});

it.skipIf(!tools)('a Jest project loads brezel', () => {
  project.write('film.test.cjs', JEST);
  project.write('package.json', '{ "name": "project", "private": true, "jest": { "testMatch": ["**/*.test.cjs"] } }');
  const printed = spawnSync(process.execPath, [join(tools!, 'jest/bin/jest.js'), '--no-cache', '--watchman=false'], {
    cwd: project.folder,
    encoding: 'utf8',
  });
  expect(printed.stderr).toContain('Tests:       1 passed');
  expect([printed.status, printed.stderr.includes('Warning')]).toEqual([0, false]);
});

it.each(['forks', 'threads'])('a Vitest project with the pool %s loads brezel', (pool) => {
  project.add('vitest');
  project.write('film.test.mjs', VITEST);
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'film.test.mjs', `--pool=${pool}`, '--root', '.'];
  const { VITEST: _, VITEST_WORKER_ID: _worker, VITEST_POOL_ID: _pool, ...env } = process.env;
  const printed = spawnSync(process.execPath, args, {
    cwd: project.folder,
    encoding: 'utf8',
    env: { ...env, NO_COLOR: '1' },
  });
  expect(printed.stdout).toMatch(/Tests +1 passed/);
  expect([printed.status, printed.stderr.includes('Warning')]).toEqual([0, false]);
});
