import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  createFlour,
  createRuntime,
  type FlourContext,
  importOnnx,
  loadNative,
  type Program,
  type Runtime,
} from 'brezel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { difference } from '../conformance/engines.js';

const file = fileURLToPath(new URL('../../../../examples/models/sa-fam-a-00.onnx', import.meta.url));
const texts = ['a good film', '', 'What a bore, not good at all!', 'naïve café 😀', 'half a pair \ud83d'];
const rows = Array.from({ length: 300 }, (_, row) => ({ text: `${texts[row % texts.length]} ${row}` }));

let flour: FlourContext;
let family: Program;
beforeAll(async () => {
  flour = await createFlour();
  family = importOnnx(readFileSync(file), flour).program;
});
afterAll(() => flour.dispose());

/** Registers a program while `use` runs. */
async function registered<T>(
  program: Program,
  native: boolean,
  use: (runtime: Runtime, plan: ReturnType<Runtime['register']>) => Promise<T>,
): Promise<T> {
  await using runtime = createRuntime({ store: flour.store, native });
  const compiled = program.plan();
  try {
    return await use(runtime, runtime.register(compiled));
  } finally {
    compiled.release();
  }
}

const engines = loadNative().addon ? [true, false] : [false];
describe.each(engines)('profile (native: %s)', (native) => {
  it.each([1, 7, 256])('gives the answers of predictBatch, in blocks of %i rows', async (blockRows) => {
    await registered(family, native, async (runtime, plan) => {
      const { answers, ...measured } = await runtime.profile(plan, rows, { durationMs: 5, blockRows });
      expect(difference(answers, await runtime.predictBatch(plan, rows))).toBeUndefined();
      expect(measured).toMatchObject({ rows: 300, blockRows, engine: native ? 'native' : 'wasm' });
      expect(measured.repetitions).toBeGreaterThan(0);
    });
  });

  it('times every stage, and the call around them', async () => {
    await registered(family, native, async (runtime, plan) => {
      const { stages, rest, total, observed } = await runtime.profile(plan, rows, { durationMs: 1 });
      expect(stages).toHaveLength(3);
      for (const { min, median } of [...stages.map((stage) => stage.nanoseconds), total, observed]) {
        expect(min).toBeGreaterThan(0);
        expect(median).toBeGreaterThanOrEqual(min);
      }
      expect(rest.min).toBeGreaterThanOrEqual(0);
      const least = stages.reduce((sum, stage) => sum + stage.nanoseconds.min, 0);
      expect(least).toBeLessThanOrEqual(observed.min * (1 + 1e-9));
    });
  });

  it('counts the bytes that occurred', async () => {
    const words = [['good'], ['bad'], ['film']];
    const counts = flour.columns({ text: 'string' }).select('text').tokenize().wordNgram({ vocabulary: words });
    const program = flour.program({ score: counts.logistic({ weights: [1, -1, 2] }) });
    await registered(program, native, async (runtime, plan) => {
      const { stages } = await runtime.profile(plan, ['good good film', 'bäd'], { durationMs: 1 });
      // Bytes per row, as means over both rows. The texts have 14 and 4 bytes, the sparse vectors
      // have an entry for each of three occurrences and none, and each score is one float32.
      expect(stages.map(({ bytesRead, bytesWritten }) => [bytesRead, bytesWritten])).toEqual([
        [9, 12],
        [12, 4],
      ]);
      const [featurizer, model] = stages.map((stage) => stage.parameterBytes);
      expect(model).toBe(3 * 4 + 8 + 4); // weights, scale and bias
      expect(featurizer).toBeGreaterThan(100);
    });
  });

  it('rejects empty lists, invalid rows, and options out of range', async () => {
    await registered(family, native, async (runtime, plan) => {
      const refused = (given: readonly unknown[], options?: object) =>
        expect(runtime.profile(plan, given as never, options)).rejects;
      await refused([]).toMatchObject({
        code: 'ERR_RUNTIME_INPUT',
        message: expect.stringContaining('at least one row'),
      });
      await refused([...rows, { text: 7 }], { blockRows: 16 }).toThrow('row 300, input "text"');
      for (const wrong of [
        { durationMs: 0 },
        { durationMs: Number.NaN },
        { blockRows: 0 },
        { blockRows: 1.5 },
        { blockRows: 257 },
      ])
        await refused(rows, wrong).toMatchObject({ code: 'ERR_RUNTIME_OPTION' });
    });
  });

  it('stops when its plan is removed', async () => {
    await registered(family, native, async (runtime, plan) => {
      const profile = runtime.profile(plan, rows, { durationMs: 60_000 });
      setImmediate(() => runtime.unregister(plan));
      await expect(profile).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    });
  });
});
