import { once } from 'node:events';
import { createFlour, createRegistry, createRuntime, runtimeMetrics } from 'brezel';
import { afterAll, expect, test } from 'vitest';

/** Names of plans are unique in a runtime, so that metrics of two plans are never added up. */

const flour = await createFlour();
const output = () => flour.columns({ a: 'float32' }).select('a').map('abs');
const compiled = flour.program({ y: output() }, { name: 'm' }).plan();
afterAll(() => {
  compiled.release();
  flour.dispose();
});
const taken = expect.objectContaining({ code: 'ERR_RUNTIME_NAME', hint: expect.stringContaining('name') });

test('an explicit name that is taken is an error, and nothing is registered', async () => {
  await using runtime = createRuntime({ store: flour.store });
  const first = runtime.register(compiled, { name: 'a' });
  expect(() => runtime.register(compiled, { name: 'a' })).toThrow(taken);
  expect(runtime.stats().plans.map(({ name }) => name)).toEqual(['a']);
  runtime.unregister(first);
  runtime.register(compiled, { name: 'a' });
  expect(() => runtime.register(compiled, { name: 5 as never })).toThrow(
    expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }),
  );
});

test('a default name that is taken gets a number, with one warning for the process', async () => {
  const warned = once(process, 'warning');
  const warnings: Error[] = [];
  const listener = (warning: Error & { code?: string }) => {
    if (warning.code === 'BREZEL_NAME') warnings.push(warning);
  };
  process.on('warning', listener);
  await using runtime = createRuntime({ store: flour.store });
  const [first, second, third] = [1, 2, 3].map(() => runtime.register(compiled));
  expect([first!.name, second!.name, third!.name]).toEqual(['m', 'm~2', 'm~3']);
  runtime.unregister(first!);
  expect(runtime.register(compiled).name).toBe('m');
  runtime.unregister(second!);
  expect(runtime.register(compiled).name).toBe('m~2');
  expect(() => runtime.register(compiled, { name: 'm~3' })).toThrow(taken);
  expect(runtime.predictSync(third!, { a: -1 })).toEqual({ y: 1 });
  await warned;
  process.off('warning', listener);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]!.message).toMatch(/"m".*"m~2".*register\(plan, \{ name \}\)/);
});

test('metrics have one series for each plan', async () => {
  await using runtime = createRuntime({ store: flour.store });
  const plans = [1, 2].map(() => runtime.register(compiled));
  plans.forEach((plan, at) => {
    for (let call = 0; call <= at; call++) runtime.predictSync(plan, { a: 1 });
  });
  for (const { name, read } of runtimeMetrics) {
    const labels = read(runtime.stats()).map(({ labels }) => JSON.stringify(labels));
    expect(new Set(labels).size, name).toBe(labels.length);
  }
  expect(runtime.stats().plans.map(({ name, calls }) => [name, calls.answered])).toEqual([
    ['m', 1],
    ['m~2', 2],
  ]);
});

test('plans and tensor programs share the names', async () => {
  await using runtime = createRuntime({ store: flour.store });
  const program = { name: 'm', inputs: [], outputs: [], blackBoxes: [] } as never;
  const tensors = runtime.registerTensors(program);
  expect(tensors.name).toBe('m');
  expect(runtime.register(compiled).name).toBe('m~2');
  expect(() => runtime.registerTensors(program, { name: 'm~2' })).toThrow(taken);
  runtime.unregister(tensors);
  expect(runtime.register(compiled).name).toBe('m');
});

test('two registries of one runtime may have equal names', async () => {
  await using runtime = createRuntime({ store: flour.store });
  const registries = await Promise.all([1, 2].map(() => createRegistry({ runtime })));
  for (const registry of registries) registry.add('m', compiled);
  for (const registry of registries) expect(registry.predictSync('m', { a: -2 })).toEqual({ y: 2 });
  expect(runtime.stats().plans.map(({ name }) => name)).toEqual(['m@1', 'm@1~2']);
  for (const registry of registries) await registry.close();
});
