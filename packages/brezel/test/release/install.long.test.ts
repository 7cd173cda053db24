import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as brezel from 'brezel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Project, root } from './install.js';

const MODEL = 'sa-fam-a-00.onnx';
const hasAddon = existsSync(join(root, 'native/build/Release/brezel.node'));

/** The same work in each kind of module; what is printed is compared. */
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
const SCRIPT = `const { readFileSync } = require('node:fs');
const { createFlour, createRuntime, importOnnx } = require('brezel');
(async () => {${WORK}})();`;
const TYPED = `import { BrezelError, createFlour, createRuntime, importOnnx, type RegisteredPlan, type Runtime } from 'brezel';
import { collectMetrics } from '@brezel/prom-client';
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

let project: Project;
beforeAll(() => {
  project = new Project();
  copyFileSync(join(root, 'examples/models', MODEL), project.path(MODEL));
});
afterAll(() => project?.dispose());

const answers = (printed: string) => JSON.parse(printed.trim().split('\n').at(-1)!);

describe('what npm installs', () => {
  it('answers alike as a module, by require, and in JavaScript alone', () => {
    const module = project.write('module.mjs', MODULE);
    const script = project.write('script.cjs', SCRIPT);
    const [asModule, byRequire] = [answers(project.node([module])), answers(project.node([script]))];
    const plain = [module, script].map((file) => answers(project.node([file], { BREZEL_NATIVE: 'off' })));

    expect(asModule).toMatchObject({ rows: 600, engine: hasAddon ? 'native' : 'javascript' });
    expect(asModule.first).toEqual(asModule.last);
    expect(byRequire).toEqual(asModule);
    for (const one of plain) {
      expect(one).toMatchObject({ rows: 600, engine: 'javascript', first: asModule.first, last: asModule.first });
    }
  });

  it('has the command line', () => {
    const command = project.path('node_modules/brezel/bin/brezel.js');
    expect(project.node([command, 'inspect', MODEL])).toMatch(/operators .*plan +3 stages/s);
    expect(project.node([command, 'doctor'])).toContain('Brezel works here.');
    expect(project.node([command, '--version']).trim()).toBe(read('node_modules/brezel/package.json').version);
  });

  it('has types for modules, for require and for older ways to look for them', () => {
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

  it('declares to require() what it gives', () => {
    const declared = readFileSync(project.path('node_modules/brezel/dist/index.d.cts'), 'utf8');
    const given = answers(project.node(['-p', "JSON.stringify(Object.keys(require('brezel')).sort())"]));
    expect(given).toEqual(Object.keys(brezel).sort());
    const values = [...declared.matchAll(/^export declare const (\w+)/gm)].map(([, name]) => name!);
    const onlyTypes = given.filter((name: string) => !values.includes(name));
    expect(onlyTypes).toEqual(['Flow', 'PlanRegistry']); // with type parameters: programs make them, and users name them
  });

  it('runs nothing when it is installed, and has a licence and a README', () => {
    for (const name of ['brezel', '@brezel/native', '@brezel/core', ...(hasAddon ? [addonPackage()] : [])]) {
      const folder = `node_modules/${name}`;
      expect(read(`${folder}/package.json`).scripts, name).toBeUndefined();
      for (const file of ['LICENSE', 'README.md'])
        expect(readFileSync(project.path(folder, file), 'utf8').length, `${name} ${file}`).toBeGreaterThan(40);
    }
  });

  it.runIf(hasAddon)('runs without the addon of its platform, and says so', () => {
    project.remove(addonPackage());
    expect(answers(project.node(['module.mjs']))).toMatchObject({ engine: 'javascript', rows: 600 });
    expect(project.node(['node_modules/brezel/bin/brezel.js', 'doctor'])).toMatch(/no +addon.*as @brezel\/native-/s);
  });
});

const read = (file: string) => JSON.parse(readFileSync(project.path(file), 'utf8'));

const addonPackage = () => Object.keys(read('node_modules/@brezel/native/package.json').optionalDependencies)[0]!;
