import { readFileSync } from 'node:fs';
import { vector } from '@brezel/core';
import { passesIntegers, referenceKernel } from '@brezel/flour';
import { Runtime, ThreadKernels, webAssembly } from '@brezel/runtime';
import { createFlour, createRuntime, type Flow, type OwnedPlan } from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { turns } from '../../../../testing/turns.js';

/** The memory of the kernels in WebAssembly: parameters are shared, freed, and limited. */

const flour = await createFlour({ native: false });
afterAll(() => flour.dispose());

const bytes = readFileSync(new URL('../../../../native/wasm/kernels.wasm', import.meta.url));
/** The section of the module that declares its memory: from 2 pages to 65,536 pages of 64 KiB. */
const MEMORY_SECTION = Buffer.from('010102808004', 'hex');
/** The same section with at most 32 pages (2 MiB), in as many bytes. */
const SMALL_SECTION = Buffer.from('010102a08000', 'hex');

/** Returns a runtime whose kernels have a memory of at most 2 MiB. */
function smallRuntime(): Runtime {
  const at = bytes.indexOf(MEMORY_SECTION);
  expect(at).toBeGreaterThan(0);
  const small = Buffer.from(bytes);
  SMALL_SECTION.copy(small, at);
  const wasm = new ThreadKernels(new webAssembly.Module(small)).of(flour.store.memory);
  const kernels = { reference: referenceKernel, passesIntegers };
  return new Runtime({ store: flour.store, wasm, kernels, executors: 0 });
}

/** A linear model of one row of `size` numbers. */
function linearPlan(size: number): OwnedPlan {
  const x = flour.input('x', vector('float32', size)) as Flow<'vector'>;
  return x.linear({ weights: Float32Array.from({ length: size }, (_, at) => Math.sin(at)), bias: 1 }).plan();
}

const text = flour.columns({ text: 'string' }).select('text');
const textPlan = (bias = 0) =>
  text
    .tokenize()
    .wordNgram({ vocabulary: [['good'], ['bad']] })
    .linear({ weights: [1, 2], bias })
    .plan();

test('plans of a thread share the copies of their parameters, and the last plan frees them', async () => {
  const runtimes = [0, 1].map(() => createRuntime({ store: flour.store, executors: 0 }));
  const [first, second] = runtimes as [Runtime, Runtime];
  const empty = first.stats().wasm!;
  expect(empty).toMatchObject({ stages: 0, parameters: 0, parameterBytes: 0 });
  const plans = [textPlan(), textPlan(), textPlan(1)] as const;
  const one = first.register(plans[0]);
  const alone = first.stats().wasm!;
  expect(one.engine).toBe('wasm');
  expect(alone.parameters).toBeGreaterThan(0);
  const other = first.register(plans[1]);
  const elsewhere = second.register(plans[0]);
  expect(first.stats().wasm).toMatchObject({ parameters: alone.parameters, parameterBytes: alone.parameterBytes });
  const third = second.register(plans[2]);
  const added = second.stats().wasm!.parameterBytes - alone.parameterBytes;
  expect(added).toBeLessThan(alone.parameterBytes / 2); // the dictionary is shared
  first.unregister(one);
  first.unregister(other);
  second.unregister(third);
  expect(second.stats().wasm).toMatchObject({ parameters: alone.parameters, parameterBytes: alone.parameterBytes });
  expect(second.predictSync(elsewhere, 'good good bad')).toEqual({ output: [4] });
  await second.close();
  expect(first.stats().wasm).toMatchObject({ stages: 0, parameters: 0, parameterBytes: 0 });
  await first.close();
  for (const plan of plans) plan.release();
});

test('a large memory is replaced when no plan is left', async () => {
  const runtime = createRuntime({ store: flour.store, executors: 0 });
  const plan = textPlan();
  const registered = runtime.register(plan);
  const answer = runtime.predictSync(registered, 'good '.repeat(2_500_000));
  expect(answer).toEqual({ output: [2_500_000] });
  expect(runtime.stats().wasm!.memoryBytes).toBeGreaterThan(32 * 2 ** 20);
  runtime.unregister(registered);
  expect(runtime.stats().wasm!.memoryBytes).toBeLessThan(4 * 2 ** 20);
  const again = runtime.register(plan);
  expect(runtime.predictSync(again, 'good bad')).toEqual({ output: [3] });
  await runtime.close();
  plan.release();
});

test('a stage that does not fit runs in JavaScript, with one warning', async () => {
  const runtime = smallRuntime();
  const warnings: { readonly code?: string; readonly message: string }[] = [];
  const listen = (warning: Error) => void warnings.push(warning);
  process.on('warning', listen);
  const [small, large] = [textPlan(), linearPlan(2 ** 20)];
  const fits = runtime.register(small);
  const before = runtime.stats().wasm!;
  const row = { x: new Float32Array(2 ** 20).fill(1) };
  for (let round = 0; round < 2; round++) {
    const registered = runtime.register(large);
    expect(registered.engine).toBe('javascript');
    expect(runtime.stages(registered).map(({ engine }) => engine)).toEqual(large.stages.map(() => 'javascript'));
    const [reference] = await runtime.predictBatch(registered, [row], { engine: 'reference' });
    expect(runtime.predictSync(registered, row)).toEqual(reference);
    expect(runtime.stats().wasm).toMatchObject({ stages: before.stages, parameters: before.parameters });
    runtime.unregister(registered);
  }
  expect(fits.engine).toBe('wasm');
  expect(runtime.predictSync(fits, 'good bad bad')).toEqual({ output: [5] });
  await turns(2);
  process.off('warning', listen);
  const own = warnings.filter(({ code }) => code === 'ERR_RUNTIME_MEMORY');
  expect(own).toHaveLength(1);
  expect(own[0]!.message).toMatch(/memory of the kernels is used up.*runs in JavaScript.*unregister plans/);
  await runtime.close();
  small.release();
  large.release();
});

test('a row that does not fit ends with ERR_RUNTIME_MEMORY, and later rows run', async () => {
  const runtime = smallRuntime();
  const plan = textPlan();
  const registered = runtime.register(plan);
  const long = 'good '.repeat(500_000);
  expect(() => runtime.predictSync(registered, long)).toThrow(
    expect.objectContaining({ code: 'ERR_RUNTIME_MEMORY', statusCode: 503 }),
  );
  await expect(runtime.predictBatch(registered, ['bad', long])).rejects.toMatchObject({ code: 'ERR_RUNTIME_MEMORY' });
  expect(runtime.predictSync(registered, 'good bad')).toEqual({ output: [3] });
  await runtime.close();
  expect(runtime.stats().wasm).toMatchObject({ stages: 0, parameters: 0, parameterBytes: 0 });
  plan.release();
});
