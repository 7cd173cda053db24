import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as brezel from 'brezel';
import * as session from 'brezel/inference-session';
import * as serve from 'brezel/serve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Project, packedRelease, root } from './install.js';
import { installedTools } from './tools.js';

const MODEL = 'sa-fam-a-00.onnx';
const hasAddon = existsSync(join(root, 'native/build/Release/brezel.node'));

/** The same work for each kind of module. The test compares the printed lines. */
const WORK = `
  const flour = await createFlour();
  const { program } = importOnnx(readFileSync('${MODEL}'), flour);
  const runtime = createRuntime({ store: flour.store, executors: 1 });
  const plan = runtime.register(program.plan());
  const row = { text: 'a charming little film' };
  const rows = await runtime.predictBatch(plan, Array.from({ length: 600 }, () => row));
  const { isa, plans: [{ engine }] } = runtime.stats();
  console.log(JSON.stringify({ isa, engine, rows: rows.length, first: runtime.predictSync(plan, row), last: rows.at(-1) }));
  await runtime.close();
`;
const MODULE = `import { readFileSync } from 'node:fs';\nimport { createFlour, createRuntime, importOnnx } from 'brezel';\n${WORK}`;
/** Compares all objects that two entry points export by the same name. */
const IDENTITY = `
  import { createRequire } from 'node:module';
  import * as brezel from 'brezel';
  import * as session from 'brezel/inference-session';
  import * as serve from 'brezel/serve';
  import * as metrics from '@brezel/prom-client';
  const require = createRequire(import.meta.url);
  const names = ['brezel', 'brezel/inference-session', 'brezel/serve', '@brezel/prom-client'];
  const required = Object.fromEntries(names.map((name) => [name.split('/').at(-1), require(name)]));
  const metricsOfRequire = required['prom-client'];
  const pairs = [
    ['brezel', brezel, required.brezel],
    ['brezel/inference-session', session, required['inference-session']],
    ['brezel/serve', serve, required.serve],
    ...['BrezelError', 'ObjectStore', 'Fleet', 'Runtime'].map((name) => [name, { [name]: brezel[name] }, { [name]: serve[name] }]),
  ];
  const compared = pairs.flatMap(([where, one, other]) => Object.keys(one).map((name) => [where, name, one[name] === other[name]]));
  if (typeof metricsOfRequire.collectMetrics !== 'function' || typeof metrics.collectMetrics !== 'function') throw new Error('no adapter');
  console.log(JSON.stringify({ compared: compared.length, different: compared.filter(([, , isSame]) => !isSame) }));
`;
const SCRIPT = `const { readFileSync } = require('node:fs');
const { createFlour, createRuntime, importOnnx } = require('brezel');
(async () => {${WORK}})();`;
const TYPED = `import { BrezelError, createFlour, createRuntime, importOnnx, type RegisteredPlan, type Runtime } from 'brezel';
import { InferenceSession, Tensor } from 'brezel/inference-session';
import { collectMetrics } from '@brezel/prom-client';
export async function trial(): Promise<bigint> {
  const session = await InferenceSession.create('model.onnx', { executionProviders: ['cpu'] });
  const { label, scores } = await session.run({ x: new Tensor('float32', [1, 2], [1, 2]) });
  const first: Tensor | undefined = scores;
  return first?.type === 'float32' ? BigInt(first.data.length) : (label?.data as BigInt64Array)[0]!;
}
export async function score(bytes: Uint8Array, text: string): Promise<unknown> {
  const flour = await createFlour();
  const runtime: Runtime = createRuntime({ store: flour.store });
  const plan: RegisteredPlan = runtime.register(importOnnx(bytes, flour).program.plan());
  const metrics = collectMetrics(runtime);
  try {
    return runtime.predictSync(plan, { text });
  } catch (error) {
    if (error instanceof BrezelError) return error.code;
    throw error;
  } finally {
    metrics.stop();
  }
}
`;

/** The same source for onnxruntime-node and for Brezel: only the module of the import differs. */
const TRIAL = `import { InferenceSession, Tensor } from 'onnxruntime-node';
export async function trial(options: InferenceSession.SessionOptions): Promise<number> {
  const session: InferenceSession = await InferenceSession.create('model.onnx', options);
  const feeds: Record<string, Tensor> = {
    x: new Tensor('float32', Float32Array.of(1, 2), [1, 2]),
    ids: new Tensor('int64', [1n], [1]),
    text: new Tensor('string', ['good'], [1, 1]),
  };
  const results = await session.run(feeds, ['label', 'scores']);
  const { label, scores }: { label?: Tensor; scores?: Tensor } = results;
  const numbers = scores?.data as Float32Array;
  for (const name of session.outputNames) console.log(name, results[name]?.dims, results[name]?.type satisfies Tensor.Type | undefined);
  await session.release();
  return Number((label?.data as BigInt64Array)[0]) + numbers[0]!;
}
`;

/** Types from the flow to the answer, as a user with strict options sees them. */
const STRICT = `import { BrezelError, createFlour, createRegistry, createRuntime, importOnnx, type PlanAnswer } from 'brezel';
export async function score(bytes: Uint8Array, text: string): Promise<unknown> {
  const flour = await createFlour();
  const runtime = createRuntime({ store: flour.store });
  const features = flour.columns({ text: 'string' }).select('text').tokenize().hashNgram({ columns: 8 });
  const scores = features.softmax({ weights: new Float32Array(16), bias: [1, 2] });
  const plan = runtime.register(flour.program({ label: scores.classify(['bad', 'good']), scores }).plan());
  const { label }: PlanAnswer<typeof plan> = runtime.predictSync(plan, { text });
  label satisfies 'bad' | 'good';
  // @ts-expect-error the plan has no such input
  runtime.predictSync(plan, { nope: 1 });
  // @ts-expect-error the answer has no such output
  runtime.predictSync(plan, text).sentimnt;
  const registry = (await createRegistry()).typed<{ film: { row: { text: string }; answer: { label: number } } }>();
  registry.predictSync('film', { text }).label.toFixed();
  // @ts-expect-error the registry has no such model
  registry.predictSync('flim', { text });
  try {
    return importOnnx(bytes, flour).program.typed<{ row: { text: string }; answer: { label: number } }>().plan();
  } catch (error) {
    if (error instanceof BrezelError) return [error.details.row, error.statusCode, error.type];
    throw error;
  }
}
`;
const NODE16 = ['--module', 'node16', 'strict.mts', 'strict.cts'];
const BUNDLER = ['--module', 'preserve', '--moduleResolution', 'bundler', 'strict.ts'];
const NODE10 = ['--module', 'commonjs', '--moduleResolution', 'node10', 'strict.ts'];
/** Compilers with their options of module resolution. TypeScript 7 does not have node10. */
const COMPILERS: readonly (readonly [version: string, args: readonly string[]])[] = [
  ['7', NODE16],
  ['7', BUNDLER],
  ['5.9', NODE16],
  ['5.9', BUNDLER],
  ['5.9', NODE10],
];

const tools = installedTools('typescript-5.9');

let project: Project;
beforeAll(() => {
  project = new Project();
  copyFileSync(join(root, 'examples/models', MODEL), project.path(MODEL));
});
afterAll(() => project?.dispose());

const answers = (printed: string) => JSON.parse(printed.trim().split('\n').at(-1)!);

describe('packages that npm installs', () => {
  it('gives the same answers as a module, by require, and without the addon', () => {
    const module = project.write('module.mjs', MODULE);
    const script = project.write('script.cjs', SCRIPT);
    const [asModule, byRequire] = [answers(project.node([module])), answers(project.node([script]))];
    const plain = [module, script].map((file) => answers(project.node([file], { BREZEL_NATIVE: 'off' })));

    expect(asModule).toMatchObject({ rows: 600, engine: hasAddon ? 'native' : 'wasm' });
    expect(asModule.first).toEqual(asModule.last);
    expect(byRequire).toEqual(asModule);
    for (const one of plain) {
      expect(one).toMatchObject({ rows: 600, engine: 'wasm', first: asModule.first, last: asModule.first });
    }
  });

  it('gives the same answers with a code cache, and its entry points share one copy of every class', () => {
    const cache = { BREZEL_CODE_CACHE: project.path('code-cache') };
    const files = () => readdirSync(cache.BREZEL_CODE_CACHE).sort();
    const module = project.write('cached.mjs', MODULE);
    const usual = answers(project.node([module]));
    expect(answers(project.node([module], cache))).toEqual(usual);
    const [written] = files();
    expect(written).toMatch(/^index-main-[0-9a-f]{64}-.*\.cache$/);
    expect(answers(project.node([module], cache))).toEqual(usual);
    expect(answers(project.node([project.write('cached.cjs', SCRIPT)], cache))).toEqual(usual);
    expect(files()).toEqual([written]);
    project.add('prom-client');
    expect(answers(project.node([project.write('identity-cached.mjs', IDENTITY)], cache)).different).toEqual([]);
    const rows = project.write('rows.jsonl', '{"text": "a charming little film"}\n');
    const command = [project.path('node_modules/brezel/bin/brezel.js'), 'predict', MODEL, '--input', rows];
    const predicted = project.node(command);
    expect(project.node([...command, '--code-cache', cache.BREZEL_CODE_CACHE])).toBe(predicted);
    expect(files()).toEqual([expect.stringMatching(/^cli-main-/), written]);
    expect(project.node([...command, '--code-cache', cache.BREZEL_CODE_CACHE])).toBe(predicted);
  });

  it('has the command line', () => {
    const command = project.path('node_modules/brezel/bin/brezel.js');
    expect(project.node([command, 'inspect', MODEL])).toMatch(/operators .*plan +3 stages/s);
    expect(project.node([command, 'doctor'])).toContain('Brezel works here.');
    expect(project.node([command, '--version']).trim()).toBe(read('node_modules/brezel/package.json').version);
  });

  it('has types for modules, for require and for older module resolutions', () => {
    for (const name of ['typescript', '@types/node', 'prom-client']) project.add(name);
    project.write('typed.mts', TYPED);
    project.write('typed.cts', TYPED);
    project.write('typed.ts', TYPED);
    const check = (...args: string[]) =>
      project.node(['node_modules/typescript/bin/tsc', '--noEmit', '--strict', '--target', 'es2022', ...args]);
    check('--module', 'nodenext', 'typed.mts', 'typed.cts');
    check('--module', 'node20', 'typed.cts');
    check('--module', 'preserve', '--moduleResolution', 'bundler', 'typed.ts');
    project.write('wrong.cts', TYPED.replace('predictSync(plan', 'predictSync(flour'));
    expect(() => check('--module', 'nodenext', 'wrong.cts')).toThrow();
  });

  for (const [version, args] of COMPILERS) {
    const modules = version === '7' ? join(root, 'node_modules') : tools;
    it.skipIf(!modules)(`is typed for TypeScript ${version} with ${args.join(' ')}, without skipLibCheck`, () => {
      project.add('@types/node');
      for (const file of ['strict.ts', 'strict.mts', 'strict.cts']) project.write(file, STRICT);
      const strict = [
        '--strict',
        '--exactOptionalPropertyTypes',
        '--noUncheckedIndexedAccess',
        '--skipLibCheck',
        'false',
      ];
      const output = ['--noEmit', '--target', 'es2022', '--types', 'node'];
      expect(project.node([join(modules!, 'typescript/bin/tsc'), ...output, ...strict, ...args])).toBe('');
    });
  }

  it('types brezel/inference-session like onnxruntime-node: one import differs', () => {
    for (const name of ['typescript', '@types/node', 'onnxruntime-node', 'onnxruntime-common']) project.add(name);
    project.write('trial.mts', TRIAL);
    project.write('trial-brezel.mts', TRIAL.replace('onnxruntime-node', 'brezel/inference-session'));
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck'];
    expect(project.node(['node_modules/typescript/bin/tsc', ...options, 'trial.mts', 'trial-brezel.mts'])).toBe('');
  });

  it.each(Object.entries({ index: brezel, 'inference-session': session, serve }))(
    'declares for require() what %s exports',
    (entry, exported) => {
      const declared = readFileSync(project.path(`node_modules/brezel/dist/${entry}.d.cts`), 'utf8');
      const script = `JSON.stringify(Object.keys(require('./node_modules/brezel/dist/${entry}.cjs')).sort())`;
      const required = answers(project.node(['-p', script]));
      expect(required).toEqual(Object.keys(exported).sort());
      const values = [...declared.matchAll(/^export declare const (\w+)/gm)].map(([, name]) => name!);
      const onlyTypes = required.filter((name: string) => !values.includes(name));
      // Classes with type parameters: programs create them, and users only name their types.
      expect(onlyTypes).toEqual(entry === 'index' ? ['Flow', 'PlanRegistry', 'Program'] : []);
    },
  );

  it('gives import and require of every entry point the same objects', () => {
    project.add('prom-client');
    const program = project.write('identity.mjs', IDENTITY);
    const { compared, different } = answers(project.node([program]));
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(50);
  });

  it('serves over HTTP, as a module and by require', () => {
    for (const [file, load] of [
      ['serve.mjs', "import { startServer } from '@brezel/http'; import { createRegistry } from 'brezel';"],
      ['serve.cjs', "const { startServer } = require('@brezel/http'); const { createRegistry } = require('brezel');"],
    ] as const) {
      const program = project.write(
        file,
        `${load}(async () => {
        const registry = await createRegistry();
        registry.add('m', './${MODEL}');
        const server = await startServer({ registry, port: 0 });
        const headers = { 'content-type': 'application/json' };
        const asked = await fetch(server.url + '/predict/m', { method: 'POST', headers, body: '{"text": "good"}' });
        console.log(JSON.stringify({ status: asked.status }));
        await server.close();
        await registry.close();
      })();`,
      );
      expect(answers(project.node([program]))).toEqual({ status: 200 });
    }
  });

  it('serves over gRPC, as a module and by require', () => {
    for (const [file, load] of [
      ['grpc.mjs', "import { startGrpcServer } from '@brezel/grpc'; import { createRegistry } from 'brezel';"],
      [
        'grpc.cjs',
        "const { startGrpcServer } = require('@brezel/grpc'); const { createRegistry } = require('brezel');",
      ],
    ] as const) {
      const program = project.write(
        file,
        `${load}(async () => {
        const registry = await createRegistry();
        const server = await startGrpcServer({ registry, port: 0 });
        console.log(JSON.stringify({ host: server.address.split(':')[0] }));
        await server.close();
        await registry.close();
      })();`,
      );
      expect(answers(project.node([program]))).toEqual({ host: '127.0.0.1' });
    }
  });

  it('loads the client of a cluster, as a module and by require', () => {
    for (const [file, load] of [
      ['nats.mjs', "import { connectFleet } from '@brezel/nats';"],
      ['nats.cjs', "const { connectFleet } = require('@brezel/nats');"],
    ] as const) {
      const program = project.write(
        file,
        `${load}connectFleet({ servers: 'nats://127.0.0.1:1' })
        .catch(({ code }) => console.log(JSON.stringify({ code })));`,
      );
      expect(answers(project.node([program]))).toEqual({ code: 'ERR_NATS_CONNECTION' });
    }
  });

  it('calls models of other servers, as a module and by require', () => {
    for (const [file, load] of [
      ['external.mjs', "import { externalPredictor } from '@brezel/external';"],
      ['external.cjs', "const { externalPredictor } = require('@brezel/external');"],
    ] as const) {
      const program = project.write(
        file,
        `${load}externalPredictor({ urls: ['http://127.0.0.1:1'], model: 'm' })
        .catch(({ code }) => console.log(JSON.stringify({ code })));`,
      );
      expect(answers(project.node([program]))).toEqual({ code: 'ERR_EXTERNAL_UNAVAILABLE' });
    }
  });

  it('is one package: no internal package is installed beside it', () => {
    expect(readdirSync(project.path('node_modules/@brezel')).sort()).toEqual(
      [
        ...(hasAddon ? [addonPackage().slice('@brezel/'.length)] : []),
        'external',
        'grpc',
        'http',
        'nats',
        'opentelemetry',
        'prom-client',
        'selection',
      ].sort(),
    );
    for (const file of readdirSync(project.path('node_modules/brezel'), { recursive: true, encoding: 'utf8' })) {
      if (!/\.([mc]?js|d\.[mc]?ts)$/.test(file)) continue;
      const text = readFileSync(project.path('node_modules/brezel', file), 'utf8');
      // The server is an optional package.
      expect(text, file).not.toMatch(
        /(from |require\(|import\()["']@brezel\/(?!native-|(?:grpc|http|nats|selection)["'])/,
      );
      // The thread pool is an implementation detail: users need not install its types.
      if (/\.d\.[mc]?ts$/.test(file)) expect(text, file).not.toMatch(/(from |import\()["']piscina["']/);
    }
  });

  it('compiles and runs the TypeScript of its README', () => {
    for (const name of ['typescript', '@types/node']) project.add(name);
    const readme = readFileSync(project.path('node_modules/brezel/README.md'), 'utf8');
    const blocks = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code!);
    expect(blocks.length).toBeGreaterThan(0);
    // All blocks form one program. Each block after the first has a separate scope, and may use the
    // names of earlier blocks.
    const [first, ...others] = blocks;
    project.write('readme.mts', [first, ...others.map((code) => `{\n${code}}`)].join('\n'));
    const options = ['--strict', '--skipLibCheck', '--target', 'es2023', '--module', 'nodenext', '--outDir', 'readme'];
    project.node(['node_modules/typescript/bin/tsc', ...options, 'readme.mts']);
    // The README names files of this repository. Its code must find them in the user's folder too.
    const files = [...readme.matchAll(/readFileSync\('([^']+)'\)/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      mkdirSync(dirname(project.path(file)), { recursive: true });
      copyFileSync(join(root, file), project.path(file));
    }
    project.node(['readme/readme.mjs']);
  });

  it('runs nothing when it is installed, and has a licence and a README', () => {
    for (const name of ['brezel', '@brezel/prom-client', ...(hasAddon ? [addonPackage()] : [])]) {
      const folder = `node_modules/${name}`;
      expect(read(`${folder}/package.json`).scripts, name).toBeUndefined();
      for (const file of ['LICENSE', 'README.md'])
        expect(readFileSync(project.path(folder, file), 'utf8').length, `${name} ${file}`).toBeGreaterThan(40);
    }
  });

  it('names the package to install for brezel serve', () => {
    project.remove('@brezel/http');
    const command = project.path('node_modules/brezel/bin/brezel.js');
    expect(() => project.node([command, 'serve', MODEL])).toThrow(/exit code 1\n.*npm install @brezel\/http/s);
  });

  it.runIf(hasAddon)('runs without the addon of its platform, and says so', () => {
    project.remove(addonPackage());
    expect(answers(project.node(['module.mjs']))).toMatchObject({ engine: 'wasm', rows: 600 });
    expect(project.node(['node_modules/brezel/bin/brezel.js', 'doctor'])).toMatch(/no +addon.*as @brezel\/native-/s);
  });
});

describe('docs/guides/getting-started.md', () => {
  const page = readFileSync(join(root, 'docs/guides/getting-started.md'), 'utf8');
  const folder = mkdtempSync(join(tmpdir(), 'brezel-getting-started-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const run = (cwd: string, script: string) =>
    execFileSync('sh', ['-ec', script], { cwd, encoding: 'utf8', stdio: 'pipe' });
  const LABELS = '1\n0\n[ 1, 0, 0 ]\n';

  it.skipIf(!hasAddon)(
    'installs with the commands of the page, and again from its folder alone, as in Docker',
    (context) => {
      if (spawnSync('npm', ['view', 'piscina', 'version'], { cwd: folder }).status !== 0)
        context.skip('the package registry of npm is unreachable');
      cpSync(packedRelease(), join(folder, 'brezel/release'), { recursive: true });
      mkdirSync(join(folder, 'brezel/examples/models'), { recursive: true });
      copyFileSync(join(root, 'examples/models', MODEL), join(folder, 'brezel/examples/models', MODEL));
      const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
      const block = (start: string) => blocks.find((one) => one.startsWith(start))!;
      expect(run(folder, block('mkdir my-service'))).toMatch(/ok +addon/);
      const service = join(folder, 'my-service');
      run(service, block('cp ../brezel/examples'));
      expect(run(service, block('npx brezel inspect'))).toContain('"label": 1');
      const program = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
      writeFileSync(join(service, 'predict.js'), program.join(''));
      expect(run(service, block('node predict.js'))).toBe(LABELS);

      const image = join(folder, 'image/app');
      mkdirSync(image, { recursive: true });
      for (const name of ['package.json', 'package-lock.json', 'tarballs', 'predict.js', 'model.onnx'])
        cpSync(join(service, name), join(image, name), { recursive: true });
      rmSync(join(folder, 'brezel'), { recursive: true });
      run(image, 'npm ci --omit=dev');
      expect(run(image, 'node predict.js')).toBe(LABELS);
    },
  );
});

const read = (file: string) => JSON.parse(readFileSync(project.path(file), 'utf8'));

const addonPackage = () => Object.keys(read('node_modules/brezel/package.json').optionalDependencies)[0]!;
