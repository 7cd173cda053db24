import { createFlour, explain, explainAnalyze, type FlourContext, type PlanMeasurement, type Program } from 'brezel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGolden as expectGoldenFile } from '../../../../testing/golden.js';

let flour: FlourContext;
let pair: Program[];
beforeAll(async () => {
  flour = await createFlour();
  pair = [scoreOf('first', [1, -1, 2]), scoreOf('second', [3, 0.5, -2])];
});
afterAll(() => flour.dispose());

/**
 * Builds a program. All programs of this function have the same dictionary; only their weights
 * differ.
 */
function scoreOf(name: string, weights: readonly number[]): Program {
  const text = flour.columns({ text: 'string' }).select('text');
  const counts = text
    .stringNormalize({ case: 'lower' })
    .tokenize()
    .wordNgram({ vocabulary: [['good'], ['bad'], ['not', 'good']] });
  const score = counts.logistic({ weights });
  return flour.program({ label: score.classify(['no', 'yes']), score: score.asScalar() }, { name });
}

/** Returns a measurement with round numbers for the stages of a program. */
function measurementOf(program: Program): PlanMeasurement {
  const plan = program.plan();
  const keys = plan.stages.map(({ stage }) => stage.key);
  plan.release();
  const time = (median: number) => ({ min: median * 0.75, median });
  return {
    engine: 'native',
    isa: 'avx2',
    rows: 1000,
    blockRows: 256,
    repetitions: 40,
    stages: keys.map((key, at) => ({
      key,
      engine: 'native',
      nanoseconds: time(1200 / (at + 1)),
      bytesRead: 40.4,
      bytesWritten: 1234.5,
      parameterBytes: 100,
    })),
    total: time(2400),
    rest: time(600),
    observed: time(2_600_000),
  };
}

const expectGolden = (name: string, text: string) =>
  expectGoldenFile(new URL(`${name}.golden`, import.meta.url), `${text}\n`);

const withoutTimes = (text: string) => text.replaceAll(/, \d+ µs\)/g, ', ... µs)');

describe('EXPLAIN as text', () => {
  it('of two measured plans is unchanged', () => {
    expectGolden('fleet', explain(pair, { measurements: pair.map(measurementOf) }));
  });

  it('rule by rule is unchanged', () => {
    expectGolden('verbose', withoutTimes(explain(pair[0]!, { verbose: true })));
  });

  it('as DOT is unchanged', () => {
    expectGolden('dot', explain(pair, { format: 'dot', measurements: pair.map(measurementOf) }));
  });

  it('uses the given names of programs', () => {
    const text = explain(pair, { names: ['A', 'B'] });
    expect(text).toContain('  same as stage 1 of A');
    expect(text).toMatch(/^plan B: [\s\S]*rules: as for A$/m);
    expect(text).not.toMatch(/plan (first|second)/);
  });

  it('of a plan without rules, and of programs over two stores', async () => {
    using other = await createFlour();
    const stranger = other.program({ x: other.columns({ x: 'float32' }).select('x') }, { name: 'stranger' });
    const text = explain([pair[0]!, stranger]);
    expect(text).toContain('no stage is shared');
    expect(text).toContain('plan stranger: 0 stages');
    expect(explain(stranger, { verbose: true })).toContain('input   x  : float32');
  });
});

describe('EXPLAIN as JSON', () => {
  /**
   * Returns every key with the type of its value. For a list, returns each distinct shape of its
   * items once.
   */
  function shapeOf(value: unknown): unknown {
    if (Array.isArray(value))
      return [...new Map(value.map((one) => [JSON.stringify(shapeOf(one)), shapeOf(one)])).values()];
    if (value === null || typeof value !== 'object') return typeof value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, key === 'attributes' ? 'object' : shapeOf(one)]),
    );
  }

  it('has the documented keys', () => {
    const measured = { format: 'json', measurements: pair.map(measurementOf) } as const;
    const fleet = JSON.parse(explain(pair, measured));
    expectGolden('json-shape', JSON.stringify(shapeOf(fleet), null, 2));
    expect(shapeOf(JSON.parse(explain(pair[0]!, measured)))).toEqual(shapeOf(fleet.models[0]));
    expect(fleet.fleet.stages).toEqual({ distinct: 3, used: 4 });
    const [shared, own] = fleet.models[0].stages;
    expect([shared.sharedWith, own.sharedWith]).toEqual([1, 0]);
    expect(shared.measured.share).toBeCloseTo(1200 / 2400);
    const table = own.parameters.find((one: { name: string }) => one.name === 'lookup.table');
    expect(table.usedBy).toBe(2);
  });
});

describe('explainAnalyze', () => {
  const rows = [{ text: 'good' }, { text: 'not good, not bad' }];

  it('shows the measurements in every format', async () => {
    const options = { durationMs: 1 };
    expect(await explainAnalyze(pair[0]!, rows, options)).toMatch(/^measured: 2 rows, 2 at a time, /m);
    expect(await explainAnalyze(pair, rows, { ...options, blockRows: 1 })).toMatch(/one at a time[\s\S]*one at a time/);
    const { stages } = JSON.parse(await explainAnalyze(pair[0]!, rows, { ...options, format: 'json' }));
    expect(stages[0].measured.bytesRead).toBe((4 + 17) / 2);
    expect(stages[0].measured.bytesWritten).toBe(((1 + 3) * 8) / 2);
    expect(await explainAnalyze(pair[0]!, rows, { ...options, format: 'dot' })).toMatch(/ a row, \d+ %/);
    expect(await explainAnalyze(pair, rows, { ...options, format: 'svg' })).toMatch(/^<svg /);
  });

  it('measures the plan that it shows', async () => {
    const json = await explainAnalyze(pair[0]!, rows, { durationMs: 1, exact: true, native: false, format: 'json' });
    const { stages, measured } = JSON.parse(json);
    expect(measured.engine).toBe('wasm');
    expect(measured).not.toHaveProperty('isa');
    expect(stages.every((stage: { measured?: object }) => stage.measured)).toBe(true);
  });

  it('rejects invalid rows, and leaves nothing in the store', async () => {
    const before = flour.store.stats();
    await expect(explainAnalyze(pair, [{ txt: 'good' }])).rejects.toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
    await expect(explainAnalyze(pair, [])).rejects.toThrow('at least one row');
    expect(flour.store.stats()).toEqual(before);
  });
});
