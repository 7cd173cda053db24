import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createFlour,
  createRegistry,
  createRuntime,
  importLightGbm,
  importMlNet,
  importModel,
  importOnnx,
  importTensors,
  importXgboost,
  onnxruntimeBackend,
  openFleet,
  packFleet,
  tfjsBackend,
  vector,
} from 'brezel';
import * as serve from 'brezel/serve';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../fleet/folder.js';

/** A misspelled option is an error that names the option, the nearest one, and the function. */

const folder = temporaryFolder();
const flour = await createFlour();
const program = flour.columns({ text: 'string' }).select('text').stringNormalize().asVector();
const compiled = flour.program({ y: flour.columns({ a: 'float32' }).select('a').map('abs') }, { name: 'abs' }).plan();
const runtime = createRuntime({ store: flour.store });
const plan = runtime.register(compiled);
const registry = await createRegistry({ runtime });
registry.add('m', compiled);
const fleet = folder.path('fleet.brezel');
await packFleet([compiled], fleet, { store: flour.store });
// Any file will do: options are checked before the content of a model.
const model = readFileSync(new URL('../../../../native/README.md', import.meta.url));

afterAll(async () => {
  await registry.close();
  await runtime.close();
  compiled.release();
  flour.dispose();
  folder.remove();
});

/** Returns [method, index of its options] for each declared method of `Flow`. */
function methodsWithOptions(): [method: string, index: number][] {
  const flourFolder = fileURLToPath(new URL('../../../flour/src/', import.meta.url));
  const found: [string, number][] = [];
  for (const name of readdirSync(flourFolder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const source = readFileSync(join(flourFolder, name), 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, '');
    const body = /^ {2}interface Flow<[\s\S]*?^ {2}\}/m.exec(source)?.[0] ?? '';
    for (const [, method, parameters] of body.matchAll(/^ {4}(\w+)[^;]*?\(\s*(this: Flow<[^;]*)/gm)) {
      const names = [...parameters!.matchAll(/(?:^|[(,]\s+)(?:readonly )?(\w+)\??: /g)].map(([, one]) => one!);
      const index = names.indexOf('options') === -1 ? names.indexOf('shape') : names.indexOf('options');
      if (index > 0 && method !== 'asTensor') found.push([method!, index - 1]);
    }
  }
  return found;
}

type Case = readonly [
  name: string,
  wrong: string,
  right: string | undefined,
  code: string,
  run: (options: never) => unknown,
];
const { store } = flour;
const option = 'ERR_RUNTIME_OPTION';
const row = { a: -1 };
const cases: Case[] = [
  ['createRuntime', 'exectuors', 'executors', option, (o: object) => createRuntime({ store, ...o })],
  ['createRuntime of brezel/serve', 'naitve', 'native', option, (o: object) => serve.createRuntime({ store, ...o })],
  ['register', 'cahce', 'cache', option, (o) => runtime.register(compiled, o)],
  ['registerFleet', 'cahce', 'cache', option, (o) => runtime.registerFleet({ store } as never, o)],
  [
    'registerTensors',
    'maxElement',
    'maxElements',
    option,
    (o) => runtime.registerTensors({ inputs: [], blackBoxes: [] } as never, o),
  ],
  ['predict', 'deadlineMS', 'deadlineMs', option, (o) => runtime.predict(plan, row, o)],
  ['predictBatch', 'foo', undefined, option, (o) => runtime.predictBatch(plan, [row], o)],
  ['predictMany', 'singal', 'signal', option, (o) => runtime.predictMany([plan], row, o)],
  ['predictManyBatch', 'enigne', 'engine', option, (o) => runtime.predictManyBatch([plan], [row], o)],
  ['predictStream', 'maxbatch', 'maxBatch', option, (o) => runtime.predictStream(plan, [row], o)],
  ['predictTensors', 'deadlineMS', 'deadlineMs', option, (o) => runtime.predictTensors({} as never, {}, o)],
  ['profile', 'duration', 'durationMs', option, (o) => runtime.profile(plan, [row], o)],
  ['warm', 'row', 'rows', option, (o) => runtime.warm(plan, o)],
  ['close', 'drain', 'drainMs', option, (o) => runtime.close(o)],
  ['createFlour', 'exakt', 'exact', 'ERR_FLOUR_PARAM', (o) => createFlour(o)],
  ['openFleet', 'verfiy', 'verify', 'ERR_FLEET_OPTION', (o) => openFleet(fleet, o)],
  ['openFleet of brezel/serve', 'verfiy', 'verify', 'ERR_FLEET_OPTION', (o) => serve.openFleet(fleet, o)],
  ['packFleet', 'stor', 'store', 'ERR_FLEET_OPTION', (o) => packFleet([compiled], fleet, o)],
  [
    'a member of packFleet',
    'row',
    'rows',
    'ERR_FLEET_OPTION',
    (o: object) => packFleet([{ plan: compiled, ...o }], fleet, { store }),
  ],
  ['importOnnx', 'repairNgram', 'repairNgrams', 'ERR_ONNX_OPTION', (o) => importOnnx(model, flour, o)],
  ['importModel', 'resolver', 'resolvers', 'ERR_ONNX_OPTION', (o) => importModel(model, flour, o)],
  ['importTensors', 'Flour', 'flour', 'ERR_ONNX_OPTION', (o) => importTensors(model, o)],
  ['importLightGbm', 'round', 'rounds', 'ERR_GBDT_OPTION', (o) => importLightGbm(model, flour, o)],
  ['importXgboost', 'output', 'outputs', 'ERR_GBDT_OPTION', (o) => importXgboost(model, flour, o)],
  ['importMlNet', 'nonfinite', 'nonFinite', 'ERR_MLNET_OPTION', (o) => importMlNet(model, flour, o)],
  ['onnxruntimeBackend', 'thread', 'threads', 'ERR_BACKEND_OPTION', (o) => onnxruntimeBackend(o)],
  ['tfjsBackend', 'maxbytes', 'maxBytes', 'ERR_BACKEND_OPTION', (o) => tfjsBackend(o)],
  ['createRegistry', 'quarantineMS', 'quarantineMs', 'ERR_REGISTRY_OPTION', (o) => createRegistry(o)],
  ['add', 'alias', 'aliases', 'ERR_REGISTRY_OPTION', (o) => registry.add('n', compiled, o)],
  ['predictSync', 'kee', 'key', 'ERR_REGISTRY_OPTION', (o) => registry.predictSync('m', row, o)],
  ['registry.predict', 'kee', 'key', 'ERR_REGISTRY_OPTION', (o) => registry.predict('m', row, o)],
  ['registry.predictBatch', 'engien', 'engine', 'ERR_REGISTRY_OPTION', (o) => registry.predictBatch('m', [row], o)],
  ['resolve', 'kee', 'key', 'ERR_REGISTRY_OPTION', (o) => registry.resolve('m', o)],
  [
    'canary',
    'percents',
    'percent',
    'ERR_REGISTRY_OPTION',
    (o: object) => registry.canary('m', { to: 1, percent: 5, ...o }),
  ],
  ['shadow', 'samples', 'sample', 'ERR_REGISTRY_OPTION', (o: object) => registry.shadow('m', { to: 1, ...o })],
  ['remove', 'drainMS', 'drainMs', 'ERR_REGISTRY_OPTION', (o) => registry.remove('m', o)],
  ['registry.close', 'drainMS', 'drainMs', 'ERR_REGISTRY_OPTION', (o) => registry.close(o)],
  ['watch', 'interval', 'intervalMs', 'ERR_REGISTRY_OPTION', (o) => registry.watch(folder.path('.'), o)],
];

test.each(cases)('%s, { %s }', async (name, wrong, right, code, run) => {
  const call = async () => run({ [wrong]: undefined } as never);
  await expect(call()).rejects.toMatchObject({
    code,
    message: expect.stringContaining(
      `${right === undefined ? 'a known option' : `the option "${right}"`} at ${name.replace(/^registry\.| of brezel.*$/g, '')}`,
    ),
    details: { received: `the unknown option "${wrong}"` },
    hint: expect.stringMatching(/^the options are /),
  });
});

describe('options inside options', () => {
  test.each<[string, object, string]>([
    ['cache', { maxByte: 1 }, 'the option "cache.maxBytes"'],
    ['batching', { maxDelay: 1 }, 'the option "batching.maxDelayMs"'],
    ['quarantine', { failure: 1 }, 'the option "quarantine.failures"'],
    ['lowering', { mayjump: true }, 'the option "lowering.mayJump"'],
    ['reserve', { executors: 1, vectors: { perclass: 1 } }, 'the option "reserve.vectors.perClass"'],
  ])('register, %s', (name, inner, message) => {
    expect(() => runtime.register(compiled, { [name]: inner })).toThrow(
      expect.objectContaining({ code: option, message: expect.stringContaining(message) }),
    );
  });

  test.each<[string, object, string]>([
    ['limits', { maxQueued: 1 }, 'maxQueued'],
    ['latencies', { sampleevery: 1 }, 'the option "latencies.sampleEvery"'],
    ['materialization', { bytes: 1 }, 'bytes'],
    ['device', { profile: { callMicro: 1 } }, 'the option "device.profile.callMicros"'],
  ])('createRuntime, %s', (name, inner, message) => {
    expect(() => createRuntime({ store, [name]: inner })).toThrow(
      expect.objectContaining({ code: option, message: expect.stringContaining(message) }),
    );
  });
});

describe('methods of flows', () => {
  const text = flour.columns({ text: 'string' }).select('text');
  const numbers = flour.input('x', vector('float32', 2));

  test.each<[string, string, string, (options: never) => unknown]>([
    ['tokenize', 'pattern', 'a known option', (o) => text.tokenize(o)],
    ['tokenize', 'minLenght', 'the option "minLength"', (o) => text.tokenize(o)],
    ['logistic', 'wieghts', 'the option "weights"', (o) => numbers.logistic(o)],
    ['tfidfVectorizer', 'ngram_range', 'the option "ngramRange"', (o) => text.tfidfVectorizer(o)],
    ['ensemble', 'combin', 'the option "combine"', (o) => numbers.ensemble([numbers], o)],
    ['plan', 'nam', 'the option "name"', (o) => numbers.plan(o)],
    ['program', 'input', 'the option "inputs"', (o) => flour.program({ numbers }, o)],
  ])('%s, { %s }', (method, wrong, expected, run) => {
    expect(() => run({ [wrong]: 1 } as never)).toThrow(
      expect.objectContaining({
        code: 'ERR_FLOUR_PARAM',
        message: `expected ${expected} at ${method}, received the unknown option "${wrong}"`,
      }),
    );
  });

  test('an option inside an option', () => {
    expect(() => text.tokenize({ by: { patern: 'a' } } as never)).toThrow('the option "by.pattern" at tokenize');
  });

  test('every method with options checks them', () => {
    const methods = methodsWithOptions();
    expect(methods.length).toBeGreaterThan(60);
    for (const [method, index] of methods) {
      const call = () => Reflect.get(numbers, method).call(numbers, ...Array(index), { nonsense: 1 });
      expect(call, method).toThrow('received the unknown option "nonsense"');
    }
  });
});

test.each<unknown>([null, 'batch', 5])('options that are %j', async (options) => {
  await expect(runtime.predictBatch(plan, [row], options as never)).rejects.toMatchObject({ code: option });
  expect(() => runtime.register(compiled, options as never)).toThrow(expect.objectContaining({ code: option }));
});

test('nothing is registered, added or closed after an unknown option', async () => {
  expect(runtime.stats().plans).toHaveLength(2);
  expect(registry.names()).toEqual(['m']);
  expect(await registry.predict('m', row)).toEqual({ y: 1 });
});

describe('arguments of wrong types', () => {
  const wrong: [string, unknown, string][] = [
    ['nothing', undefined, 'undefined'],
    ['a runtime', runtime, 'an object of class Runtime'],
    ['options', { name: 'x' }, 'an object of class Object'],
  ];
  const importers = { importOnnx, importModel, importLightGbm, importXgboost, importMlNet };
  test.each(wrong)('importers with %s instead of a context', (_, flour, received) => {
    for (const [name, run] of Object.entries(importers))
      expect(() => run(model, flour as never)).toThrow(
        expect.objectContaining({
          code: expect.stringMatching(/^ERR_(ONNX|GBDT|MLNET)_OPTION$/),
          message: `expected a FlourContext as the second argument at ${name}, received ${received}`,
          hint: expect.stringContaining('createFlour()'),
        }),
      );
  });

  test('register(program) says to call plan()', () => {
    for (const given of [flour.program({ y: program }), program])
      expect(() => runtime.register(given as never)).toThrow(
        expect.objectContaining({ code: 'ERR_RUNTIME_VERSION', hint: expect.stringContaining('.plan()') }),
      );
  });
});

test('register rejects adaptive batching for a plan that Brezel runs, with the reason', () => {
  const register = () => runtime.register(compiled, { batching: { sloMs: 20, controller: 'aimd' } as never });
  expect(register).toThrow(/because the rows of a plan take microseconds at .*, received batching\.sloMs/);
  expect(register).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }));
});
