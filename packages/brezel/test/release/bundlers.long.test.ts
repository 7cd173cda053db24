import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Project, root } from './install.js';
import { installedTools } from './tools.js';

/** A typed service. Its handler answers batches until a worker thread has run a part of one. */
const SERVICE = `import { readFileSync } from 'node:fs';
import { createFlour, createRuntime, importOnnx } from 'brezel';
import { openFleet } from 'brezel/serve';
import type { FilmAnswer, FilmRow, Models } from './models.js';

export async function handler(modelFile: string, fleetFile: string): Promise<object> {
  const flour = await createFlour();
  const runtime = createRuntime({ store: flour.store, executors: 1 });
  const { program } = importOnnx(readFileSync(modelFile), flour, { name: 'film' });
  const plan = runtime.register(program.typed<Models['film']>().plan());
  const row: FilmRow = { text: 'a charming little film' };
  const one: FilmAnswer = runtime.predictSync(plan, row);
  // @ts-expect-error the model has no such input
  const wrong = () => runtime.predictSync(plan, { txet: 'a film' });
  const rows: FilmRow[] = Array.from({ length: 20_000 }, () => row);
  let chunks = 0;
  let isSame = true;
  for (let batch = 0; batch < 100 && chunks === 0; batch++) {
    const answers = await runtime.predictBatch(plan, rows);
    isSame &&= answers.every(({ probabilities: [, good] }) => good === one.probabilities[1]);
    const { shared, javascript } = runtime.stats().executors;
    chunks = shared.chunks - shared.helped + (javascript.chunks - javascript.helped);
  }
  const isWrongRejected = throws(wrong);
  const { executors, plans } = runtime.stats();
  const lost = executors.shared.lost + executors.javascript.lost;
  await runtime.close();

  const fleet = await openFleet(fleetFile);
  const served = createRuntime({ store: fleet.store, executors: 0 });
  const same = served.predictSync(served.register(fleet.plan('film')), row);
  await served.close();
  fleet.close();
  return {
    engine: plans[0]!.engine,
    usesThreads: chunks > 0,
    lost,
    isSame,
    isSameFromFleet: JSON.stringify(same) === JSON.stringify(one),
    isWrongRejected,
    isWrongOptionRejected: throws(() => createRuntime({ store: flour.store, operatorModules: ['file:///operators.js'] })),
  };
}

function throws(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}
`;
/** Loads a bundle from another folder, as AWS Lambda does, and prints the answer of its handler. */
const RUNNER = `
const { default: { handler } = {}, ...exported } = await import(process.argv[2]);
console.log(JSON.stringify(await (exported.handler ?? handler)(process.argv[3], process.argv[4])));
`;
const NEXT_ROUTE = `import { handler } from './service.js';
export const dynamic = 'force-dynamic';
export const GET = async () => Response.json(await handler(process.env.MODEL, process.env.FLEET));
`;
const NEXT_SERVER = `import { createServer } from 'node:http';
import next from 'next';
const app = next({ dev: false, dir: process.cwd() });
await app.prepare();
const server = createServer(app.getRequestHandler()).listen(0, '127.0.0.1', async () => {
  const answer = await fetch('http://127.0.0.1:' + server.address().port + '/predict');
  console.log(await answer.text());
  process.exit(0);
});
`;
const WORKS = {
  usesThreads: true,
  lost: 0,
  isSame: true,
  isSameFromFleet: true,
  isWrongRejected: 'ERR_RUNTIME_INPUT',
  isWrongOptionRejected: 'ERR_RUNTIME_OPTION',
};

const tools = installedTools('bundlers');
const addon = join(root, 'native/build/Release/brezel.node');
const hasAddon = existsSync(addon);

let project: Project;
/** A folder without node_modules in it or above it. */
let elsewhere: string;

beforeAll(() => {
  project = new Project();
  for (const name of ['typescript', '@types/node']) project.add(name);
  elsewhere = mkdtempSync(join(tmpdir(), 'brezel-bundle-'));
  writeFileSync(join(elsewhere, 'runner.mjs'), RUNNER);
  copyFileSync(join(root, 'examples/models/sa-fam-a-00.onnx'), project.path('film.onnx'));
  project.write('service.ts', SERVICE);
  project.write('package.json', '{ "name": "project", "private": true, "type": "module" }');
  const command = project.path('node_modules/brezel/bin/brezel.js');
  project.node([command, 'types', 'film=film.onnx', '-o', 'models.d.ts']);
  project.node([command, 'pack', 'film=film.onnx', '-o', 'fleet.brezel']);
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false'];
  const output = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--outDir', 'tsc'];
  project.node(['node_modules/typescript/bin/tsc', ...strict, ...output, 'service.ts']);
});
afterAll(() => {
  project?.dispose();
  if (elsewhere) rmSync(elsewhere, { recursive: true });
});

/** Runs the handler of a program. With `withAddon`, a copy of the addon is beside the program. */
function run(folder: string, file: string, withAddon: boolean) {
  const copy = join(elsewhere, withAddon ? 'native' : 'javascript', folder);
  cpSync(project.path(folder), copy, { recursive: true });
  if (withAddon) copyFileSync(addon, join(copy, 'brezel.node'));
  const args = ['runner.mjs', join(copy, file), project.path('film.onnx'), project.path('fleet.brezel')];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: elsewhere, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return { answer: JSON.parse(stdout), stderr };
}

function check(folder: string, file: string): void {
  const { answer, stderr } = run(folder, file, false);
  expect(answer).toEqual({ ...WORKS, engine: 'wasm' });
  expect(stderr).toMatch(/BREZEL_NATIVE.*no native addon for .*; copy node_modules\/@brezel\/native-/);
  if (!hasAddon) return;
  const native = run(folder, file, true);
  expect(native.answer).toEqual({ ...WORKS, engine: 'native' });
  expect(native.stderr).toBe('');
}

const bundle = (format: 'esm' | 'cjs', outfile: string, others: object = {}) =>
  build({
    entryPoints: [project.path('service.ts')],
    bundle: true,
    platform: 'node',
    format,
    outfile: project.path(outfile),
    ...others,
  });

describe('a typed service in one file', () => {
  it.each([
    ['esm', 'esbuild-esm', 'service.mjs', {}],
    ['cjs', 'esbuild-cjs', 'service.cjs', {}],
    ['cjs', 'esbuild-min', 'service.cjs', { minify: true }],
  ] as const)('esbuild, %s, %s', async (format, folder, file, options) => {
    const { warnings } = await bundle(format, join(folder, file), options);
    expect(warnings).toEqual([]);
    check(folder, file);
  });

  it.skipIf(!tools)('rollup, ES module and CommonJS', () => {
    const plugin = (name: string) => JSON.stringify(join(tools!, '@rollup', name, 'dist/es/index.js'));
    const config = project.write(
      'rollup.config.mjs',
      `import resolve from ${plugin('plugin-node-resolve')};
      import commonjs from ${plugin('plugin-commonjs')};
      export default {
        input: 'tsc/service.js',
        plugins: [resolve({ preferBuiltins: true }), commonjs()],
        onwarn: ({ code }) => { if (!['THIS_IS_UNDEFINED', 'UNUSED_EXTERNAL_IMPORT'].includes(code)) throw new Error(code); },
        output: [
          { dir: 'rollup-esm', entryFileNames: 'service.mjs', chunkFileNames: '[name].mjs', format: 'es' },
          { dir: 'rollup-cjs', entryFileNames: 'service.cjs', chunkFileNames: '[name].cjs', format: 'cjs' },
        ],
      };`,
    );
    project.node([join(tools!, 'rollup/dist/bin/rollup'), '-c', config]);
    check('rollup-esm', 'service.mjs');
    check('rollup-cjs', 'service.cjs');
  });

  it.skipIf(!tools)('webpack, ES module and CommonJS', () => {
    // Minifying takes minutes and changes nothing that this test checks.
    const script = project.write(
      'webpack.cjs',
      `const webpack = require(${JSON.stringify(join(tools!, 'webpack'))});
      const common = { target: 'node20', mode: 'production', entry: './tsc/service.js', optimization: { minimize: false } };
      webpack([
        { ...common, output: { path: __dirname + '/webpack-cjs', filename: 'service.cjs', library: { type: 'commonjs2' } } },
        {
          ...common,
          experiments: { outputModule: true },
          output: { path: __dirname + '/webpack-esm', filename: 'service.mjs', module: true, library: { type: 'module' } },
        },
      ], (error, stats) => {
        if (error) throw error;
        console.log(JSON.stringify(stats.toJson({ all: false, errors: true, warnings: true })));
      });`,
    );
    const { errors, warnings } = JSON.parse(project.node([script]));
    expect([...errors, ...warnings]).toEqual([]);
    check('webpack-cjs', 'service.cjs');
    check('webpack-esm', 'service.mjs');
  });

  it.each([
    ['docs/guides/deployment.md', 'handler.mjs'],
    ['examples/lambda-bundle/handler.ts', 'handler.ts'],
  ])('esbuild, the handler of %s', async (source, file) => {
    const text = readFileSync(join(root, source), 'utf8');
    const code = /^```js file=handler\.mjs\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? text;
    project.write(file, code.replace("plan('model')", "plan('film')"));
    await bundle('esm', 'lambda/handler.mjs', { entryPoints: [project.path(file)] });
    copyFileSync(project.path('fleet.brezel'), project.path('lambda/fleet.brezel'));
    if (hasAddon) copyFileSync(addon, project.path('lambda/brezel.node'));
    const copy = join(elsewhere, 'lambda');
    cpSync(project.path('lambda'), copy, { recursive: true });
    const call = `const { handler } = await import('${copy}/handler.mjs'); console.log((await handler({ text: 'a good film' })).label)`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', call], { encoding: 'utf8' });
    expect(stdout).toBe('1\n');
    expect(stderr).toBe(hasAddon ? '' : expect.stringContaining('BREZEL_NATIVE'));
  });

  it.skipIf(!tools)('Next.js, bundled by webpack', () => {
    const folder = project.path('next');
    mkdirSync(join(folder, 'app/predict'), { recursive: true });
    cpSync(project.path('node_modules'), join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
    for (const library of ['next', 'react', 'react-dom'])
      symlinkSync(join(tools!, library), join(folder, 'node_modules', library));
    cpSync(project.path('tsc/service.js'), join(folder, 'app/predict/service.js'));
    for (const [file, text] of Object.entries({
      'package.json': '{ "name": "next-project", "private": true, "type": "module" }',
      'serve.mjs': NEXT_SERVER,
      'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>;',
      'app/predict/route.js': NEXT_ROUTE,
    }))
      writeFileSync(join(folder, file), text);
    const env = {
      ...process.env,
      NEXT_TELEMETRY_DISABLED: '1',
      MODEL: project.path('film.onnx'),
      FLEET: project.path('fleet.brezel'),
      ...(hasAddon && { BREZEL_NATIVE: addon }),
    };
    const node = (...args: string[]) =>
      execFileSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });
    node('node_modules/next/dist/bin/next', 'build', '--webpack');
    const answer = JSON.parse(node('serve.mjs').trim().split('\n').at(-1)!);
    expect(answer).toEqual({ ...WORKS, engine: hasAddon ? 'native' : 'wasm' });
  });

  it('says what to do if a bundler takes the files for Node.js', async () => {
    await bundle('cjs', 'conditions/service.cjs', { conditions: ['other'] });
    expect(() => run('conditions', 'service.cjs', false)).toThrow(
      /ERR_NATIVE_BUNDLED[\s\S]*exclude brezel from the bundle/,
    );
  });

  it('runs with brezel outside of the bundle', async () => {
    await bundle('cjs', 'external/service.cjs', { packages: 'external' });
    const runner = join(elsewhere, 'runner.mjs');
    const args = [
      runner,
      project.path('external/service.cjs'),
      project.path('film.onnx'),
      project.path('fleet.brezel'),
    ];
    const answer = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
    expect(answer).toEqual({ ...WORKS, engine: hasAddon ? 'native' : 'wasm', isWrongOptionRejected: undefined });
  });
});
