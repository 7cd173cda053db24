import {
  createFlour,
  createRuntime,
  type FlourContext,
  type Flow,
  openFleet,
  packFleet,
  profile,
  tensor,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../fleet/folder.js';

const folder = temporaryFolder();
const flour: FlourContext = await createFlour();
const x = flour.input('x', tensor('float32', [2, 3])) as Flow<'tensor'>;
const t = flour.input('t', tensor('string', [2, 1])) as Flow<'tensor'>;
const program = flour.program({ y: x.asVector().map('abs').asTensor([3, 2]), t });
const numbers = flour.program({ y: x.asVector().map('abs').asTensor([3, 2]) }, { name: 'numbers' });
const runtimes = [createRuntime({ store: flour.store }), createRuntime({ store: flour.store, native: false })];
const good = { x: [[1, 2, 3], [-4, 5, -6]], t: [['a'], ['b']] }; // biome-ignore format: as it is meant
const answer = { y: [[1, 2], [3, 4], [5, 6]], t: [['a'], ['b']] }; // biome-ignore format: as it is meant

afterAll(async () => {
  for (const runtime of runtimes) await runtime.close();
  flour.dispose();
  folder.remove();
});

describe('rows with tensors', () => {
  test.each([
    ['lists in lists', good],
    ['typed arrays in a list', { ...good, x: [Float32Array.of(1, 2, 3), Float32Array.of(-4, 5, -6)] }],
    ['a list of all elements', { x: [1, 2, 3, -4, 5, -6], t: ['a', 'b'] }],
    ['a typed array of all elements', { ...good, x: Float64Array.of(1, 2, 3, -4, 5, -6) }],
    ['bytes for texts', { ...good, t: [[Buffer.from('a')], [Buffer.from('b')]] }],
  ])('%s', async (_, row) => {
    const plan = program.plan();
    for (const runtime of runtimes) {
      const registered = runtime.register(plan);
      expect(runtime.predictSync(registered, row)).toEqual(answer);
      expect(await runtime.predictBatch(registered, [good, row])).toEqual([answer, answer]);
      expect(await runtime.predictBatch(registered, [row], { engine: 'reference' })).toEqual([answer]);
      runtime.unregister(registered);
    }
    plan.release();
  });

  test.each([
    ['one list too few', { x: [[1, 2, 3]] }, 'a list of 1 at axis 0'],
    ['a short list', { x: [[1, 2, 3], [4, 5]] }, 'a list of 2 at axis 1'], // biome-ignore format: as it is meant
    ['a number among lists', { x: [[1, 2, 3], 4] }, 'no list at axis 1'],
    ['nothing among lists', { x: [[1, 2, 3], undefined] }, 'no list at axis 1'],
    ['lists too deep', { x: [[[1], [2], [3]], [[1], [2], [3]]] }, 'an array of 1'], // biome-ignore format: as it is meant
    ['too few elements', { x: [1, 2, 3] }, '3 elements'],
    ['no list', { x: 5 }, '5'],
    ['a text', { x: [['1', 2, 3], [4, 5, 6]] }, 'text "1"'], // biome-ignore format: as it is meant
  ])('%s is rejected, with its location', (_, row, received) => {
    const plan = program.plan();
    for (const runtime of runtimes) {
      const registered = runtime.register(plan);
      expect(() => runtime.predictSync(registered, { ...good, ...row })).toThrow(
        expect.objectContaining({
          code: 'ERR_RUNTIME_INPUT',
          message: expect.stringMatching(new RegExp(`row 0, input "x".*${received.replace(/[[\]"]/g, '.')}`)),
        }),
      );
      runtime.unregister(registered);
    }
    plan.release();
  });

  test('an out-array holds the elements in their order', () => {
    const plan = numbers.plan();
    for (const runtime of runtimes) {
      const registered = runtime.register(plan);
      expect(registered.engine).toBe(runtime === runtimes[0] ? runtime.register(plan).engine : 'wasm');
      const out = new Float64Array(6);
      runtime.predictSync(registered, { x: good.x }, out);
      expect([...out]).toEqual([1, 2, 3, 4, 5, 6]);
      expect(runtime.predictSync(registered, { x: Float64Array.from(good.x.flat()) })).toEqual({ y: answer.y });
      runtime.unregister(registered);
    }
    plan.release();
  });

  test('are profiled, packed and opened', async () => {
    const plan = profile(program, [good, good]).plan();
    const path = folder.path('tensors.brezel');
    await packFleet([{ plan, rows: [good] }], path, { store: flour.store });
    using fleet = await openFleet(path);
    const opened = fleet.plan(plan.name);
    expect(opened.inputs).toEqual(plan.inputs);
    expect(opened.outputs).toEqual(plan.outputs);
    expect(await fleet.replay()).toEqual({ plans: 1, rows: 1, differences: [] });
    opened.release();
    plan.release();
  });

  test('with an unusable shape are rejected when the program is written', () => {
    for (const shape of [[2, 0], [2, -1], [2, 0.5], [2 ** 20, 2 ** 20], new Array<number>(17).fill(1)]) // biome-ignore format: short
      expect(() => flour.input('x', tensor('float32', shape))).toThrow(
        expect.objectContaining({ code: 'ERR_FLOUR_SIZE' }),
      );
    expect(() => x.asTensor([4, 2])).toThrow(expect.objectContaining({ code: 'ERR_FLOUR_SIZE' }));
  });
});
