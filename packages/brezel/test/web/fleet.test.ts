import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createFlour, createRuntime, importModel, packFleet } from 'brezel';
import { openFleet } from 'brezel/web';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleWeb } from '../../../../scripts/bundle-web.mjs';
import { forge } from '../fleet/forge.js';

const root = new URL('../../../../', import.meta.url);
const kernels = readFileSync(new URL('native/wasm/kernels.wasm', root));
const folder = mkdtempSync(join(tmpdir(), 'brezel-web-'));
const path = join(folder, 'fleet.brezel');
const texts = ['a charming film', 'dull, and far too long', '', 'Großartig! 😀', '\ud800 alone'];
const points = Array.from({ length: 300 }, (_, row) => Float32Array.from([row / 7, -row, 1 / (row + 1)]));

const integers = [
  [1n, 2n],
  [2n ** 53n + 1n, -(2n ** 63n)],
];

let bytes: Uint8Array;
const wanted = new Map<string, unknown[]>();

beforeAll(async () => {
  const flour = await createFlour();
  const sentiment = importModel(readFileSync(new URL('examples/models/sa-fam-a-00.onnx', root)), flour);
  if (sentiment.kind !== 'row') throw sentiment.why;
  const text = flour.columns({ text: 'string' }).select('text');
  const plans = [
    { name: 'sentiment', plan: sentiment.program.plan(), rows: texts },
    { name: 'upper', plan: text.stringNormalize({ case: 'upper' }).plan(), rows: texts },
    {
      name: 'points',
      plan: flour
        .input('x', { kind: 'vector', dtype: 'float32', size: 3 })
        .linear({ weights: [1, 2, 3], bias: 0.5 })
        .plan(),
      rows: points,
    },
    {
      name: 'numbers',
      plan: flour.input('n', { kind: 'vector', dtype: 'int64', size: 2 }).selectColumns([1, 0]).plan(),
      rows: integers,
    },
    {
      // a sum is rounded to float64, also in the addon
      name: 'sums',
      plan: flour
        .input('n', { kind: 'vector', dtype: 'int64', size: 2 })
        .arithmetic('add', [2n, 2n] as never)
        .plan(),
      rows: integers,
    },
  ] as const;
  await packFleet(
    plans.map(({ name, plan }) => ({ name, plan })),
    path,
    { store: flour.store },
  );
  const runtime = createRuntime({ store: flour.store, executors: 0 });
  for (const { name, plan, rows } of plans) {
    const registered = runtime.register(plan);
    wanted.set(
      name,
      rows.map((row) => runtime.predictSync(registered, row as never)),
    );
    plan.release();
  }
  await runtime.close();
  flour.dispose();
  bytes = new Uint8Array(readFileSync(path)); // `slice` of a Buffer would not copy
});
afterAll(() => rmSync(folder, { recursive: true }));

const open = async (options = {}) => openFleet(bytes, { kernels, ...options });

describe('brezel/web', () => {
  test('answers with the bits of Node, one by one and in batches', async () => {
    const fleet = await open();
    expect(fleet.names).toEqual(['sentiment', 'upper', 'points', 'numbers', 'sums']);
    for (const [name, rows] of [
      ['sentiment', texts],
      ['upper', texts],
      ['points', points],
      ['numbers', integers],
      ['sums', integers],
    ] as const) {
      const plan = fleet.plan(name);
      expect(rows.map((row) => plan.predictSync(row as never))).toEqual(wanted.get(name));
      expect(await plan.predictBatch(rows as never)).toEqual(wanted.get(name));
    }
    fleet.close();
  });

  test.each([
    [{ verfy: false }, 'the option "verify"'],
    [{ verify: 'no' }, 'true or false'],
    [{ maxInputBytes: -1 }, 'a whole number of bytes'],
  ])('rejects the options %o', async (options, expected) => {
    await expect(open(options)).rejects.toMatchObject({ code: 'ERR_WEB_OPTION', details: { expected } });
  });

  test('runs the first example of the guide', async () => {
    const page = readFileSync(new URL('docs/guides/browser.md', root), 'utf8');
    const [, code] = /^```ts\n([\s\S]*?)^```$/m.exec(page)!;
    const AsyncFunction = open.constructor as new (...parts: string[]) => (...values: unknown[]) => Promise<unknown>;
    const run = new AsyncFunction('openFleet', 'reviews', code!.replace(/^import .*$/m, ''));
    const sources: unknown[] = [];
    const opened = (source: string) => {
      sources.push(source);
      return open();
    };
    await run(opened, texts);
    expect(sources).toEqual(['/models/fleet.brezel']);
  });

  test('writes numbers into an out-array', async () => {
    const fleet = await open();
    const plan = fleet.plan('points');
    const out = new Float64Array(plan.width);
    expect(plan.predictSync(points[1] as never, out)).toBe(out);
    expect(Array.from(out)).toEqual((wanted.get('points')![1] as { output: number[] }).output);
    expect(() => plan.predictSync(points[1] as never, new Float64Array(0))).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_OUTPUT' }),
    );
    fleet.close();
  });

  test('rejects rows with the errors of Node', async () => {
    const fleet = await open({ maxInputBytes: 100 });
    const plan = fleet.plan('sentiment');
    for (const row of [null, 5, { other: 'x' }, { [plan.inputs[0]!.name]: 7 }, 'x'.repeat(101)])
      expect(() => plan.predictSync(row as never)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_INPUT' }));
    await expect(plan.predictBatch(['good', 7] as never)).rejects.toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
      details: { row: 1 },
    });
    fleet.close();
    expect(() => plan.predictSync('good')).toThrow(expect.objectContaining({ code: 'ERR_WEB_CLOSED' }));
    expect(() => fleet.plan('sentiment')).toThrow(expect.objectContaining({ code: 'ERR_WEB_CLOSED' }));
  });

  test('rejects an unknown plan, damaged bytes, other files and other kernels', async () => {
    const fleet = await open();
    expect(() => fleet.plan('other')).toThrow(expect.objectContaining({ code: 'ERR_STORE_MISSING' }));
    fleet.close();
    for (const at of [20, 200, bytes.length - 40]) {
      const damaged = bytes.slice();
      damaged[at] = damaged[at]! ^ 1;
      await expect(openFleet(damaged, { kernels })).rejects.toMatchObject({ code: 'ERR_STORE_DAMAGED' });
    }
    await expect(openFleet(bytes.slice(0, 999), { kernels })).rejects.toMatchObject({ code: 'ERR_STORE_DAMAGED' });
    await expect(openFleet(new Uint8Array(500), { kernels })).rejects.toMatchObject({ code: 'ERR_STORE_FORMAT' });
    await expect(open({ kernels: new Uint8Array(8) })).rejects.toMatchObject({ code: 'ERR_WEB_KERNELS' });
  });

  test('rejects a kernel call without its parameters with the code of the addon', async () => {
    const changed = join(folder, 'changed.brezel');
    forge(path, changed, (fleet) => {
      for (const { calls } of fleet.programs) for (const call of calls) call.attributes.push(1);
    });
    const fleet = await openFleet(readFileSync(changed), { kernels });
    for (const name of fleet.names)
      expect(() => fleet.plan(name)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_NATIVE' }));
    fleet.close();
  });

  test('reads a response, and rejects a failed or too large one', async () => {
    const fleet = await openFleet(new Response(bytes.slice()), { kernels });
    expect(fleet.plan('sentiment').predictSync(texts[0]!)).toEqual(wanted.get('sentiment')![0]);
    fleet.close();
    const missing = new Response('no', { status: 404 });
    await expect(openFleet(missing, { kernels })).rejects.toMatchObject({ code: 'ERR_WEB_FETCH' });
    const large = new Response('', { headers: { 'content-length': String(2 ** 32) } });
    await expect(openFleet(large, { kernels })).rejects.toMatchObject({ code: 'ERR_WEB_MEMORY' });
  });

  test('uses no module of Node, no global of Node and no eval, and stays small', async () => {
    const { text } = await bundleWeb();
    const forbidden = /\bnode:|\brequire\(|\bprocess\.|\beval\(|new Function\b|\bBuffer\b/;
    expect(forbidden.exec(text)?.[0]).toBeUndefined();
    const [code, module] = [text, kernels].map((file) => gzipSync(file, { level: 9 }).length) as [number, number];
    expect(code + module).toBeLessThan(150_000);
  });
});
