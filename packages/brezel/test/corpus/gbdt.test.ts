import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFlour, createRuntime, importLightGbm, importXgboost } from 'brezel';
import { describe, expect, test } from 'vitest';
import { compareNumbers, corpus, corpusFolders } from './corpus.js';

// Compares models of LightGBM and XGBoost in their native formats with the answers of these
// libraries.

const lines = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const values = (row: unknown): number[] => (row as unknown[]).map(Number); // "NaN", "Infinity"

describe.skipIf(corpus === undefined)('boosted trees in their own formats', () => {
  const folders =
    corpus === undefined ? [] : readdirSync(join(corpus, 'gbdt')).map((name) => join(corpus!, 'gbdt', name));

  test.each(folders)('%s', async (folder) => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const bytes = readFileSync(join(folder, 'model.lightgbm.txt'));
    const { program } = importLightGbm(bytes, flour, { outputs: ['prediction', 'raw', 'leaves'] });
    const rows = lines(join(folder, 'inputs.jsonl')).map(({ x }) => ({ x: values(x) }));
    const answers = await runtime.predictBatch(runtime.register(program.plan()), rows);
    const tolerance = { rtol: 1e-6, atol: 1e-9 };
    lines(join(folder, 'expected.jsonl')).forEach((want, row) => {
      expect(compareNumbers(answers[row], want, tolerance) ? [] : [row, answers[row], want]).toEqual([]);
    });
  });

  const pipelines = corpusFolders('pipelines', 'xgb').filter((folder) => existsSync(join(folder, 'model.xgb.json')));
  const files = pipelines.flatMap((folder) => ['json', 'ubj'].map((format) => [folder, `model.xgb.${format}`]));

  test.each(files)('%s, %s', async (folder, file) => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const { program } = importXgboost(readFileSync(join(folder!, file!)), flour, { outputs: ['prediction', 'raw'] });
    const rows = lines(join(folder!, 'inputs.jsonl')).map((row) => ({ x: values(Object.values(row)[0]) }));
    const answers = await runtime.predictBatch(runtime.register(program.plan()), rows);
    let compared = 0;
    lines(join(folder!, 'xgb_native.jsonl')).forEach(({ prediction, margin }, row) => {
      if (rows[row]!.x.some((value) => Math.abs(value) === Infinity)) return; // XGBoost rejects infinities
      const { raw } = answers[row]!;
      expect([row, raw]).toEqual([row, [margin].flat().map((one) => Math.fround(one as number))]); // bit for bit
      expect(compareNumbers(answers[row]!.prediction, [prediction].flat(), { rtol: 2e-6, atol: 1e-7 })).toBe(true);
      compared++;
    });
    expect(compared).toBeGreaterThan(rows.length / 2);
  });

  const contributions =
    corpus === undefined
      ? []
      : readdirSync(join(corpus, 'contributions'))
          .map((name) => join(corpus!, 'contributions', name))
          .filter((folder) => existsSync(join(folder, 'meta.json')));

  test.each(contributions)('%s', async (folder) => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const file = ['model.json', 'model.ubj'].map((name) => join(folder, name)).find((path) => existsSync(path))!;
    const { program } = importXgboost(readFileSync(file), flour, { outputs: ['prediction', 'raw'] });
    const rows = lines(join(folder, 'inputs.jsonl')).map(({ x }) => ({ x: values(x) }));
    const answers = await runtime.predictBatch(runtime.register(program.plan()), rows);
    const wanted = lines(join(folder, 'expected.jsonl'));
    expect(answers).toHaveLength(wanted.length);
    wanted.forEach(({ prediction, margin }, row) => {
      const { raw, prediction: got } = answers[row]!;
      const near = (a: unknown, b: unknown) =>
        compareNumbers(a, [b].flat().map(Number), { rtol: 2e-6, atol: 1e-6 }) ? [] : [row, a, b];
      expect(near(raw, margin)).toEqual([]);
      expect(near([got].flat(), prediction)).toEqual([]); // a class is a single number
    });
  });

  test.each(contributions)('%s: contributions as XGBoost computes them', async (folder) => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const file = ['model.json', 'model.ubj'].map((name) => join(folder, name)).find((path) => existsSync(path))!;
    const { program } = importXgboost(readFileSync(file), flour, { outputs: ['raw'] });
    const plan = runtime.register(program.plan());
    const { tolerance } = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8')) as { tolerance: never };
    const rows = lines(join(folder, 'inputs.jsonl')).map(({ x }) => ({ x: values(x) }));
    lines(join(folder, 'expected.jsonl')).forEach(({ contributions }, row) => {
      const classes = Array.isArray((contributions as unknown[])[0]) ? (contributions as number[][]) : [contributions];
      classes.forEach((wanted, target) => {
        const { base, contributions: found } = runtime.contributions(plan, rows[row]!, {
          output: 'raw',
          class: target,
        });
        const all = new Array<number>(rows[row]!.x.length).fill(0);
        for (const { index, value } of found) all[index!] = value;
        const got = [...all, base]; // XGBoost lists the base last
        expect(compareNumbers(got, wanted, tolerance) ? [] : [row, target, got, wanted]).toEqual([]);
      });
    });
  });

  test.each(contributions)('%s: interactions as XGBoost computes them', async (folder) => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const file = ['model.json', 'model.ubj'].map((name) => join(folder, name)).find((path) => existsSync(path))!;
    const { program } = importXgboost(readFileSync(file), flour, { outputs: ['raw'] });
    const plan = runtime.register(program.plan());
    const { tolerance } = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8')) as { tolerance: never };
    const rows = lines(join(folder, 'inputs.jsonl')).map(({ x }) => ({ x: values(x) }));
    lines(join(folder, 'expected.jsonl')).forEach(({ interactions }, row) => {
      if (interactions === undefined) return; // the corpus contains interactions for some rows of small models only
      const matrices = interactions as number[][] | number[][][];
      const classes = Array.isArray(matrices[0]![0]) ? (matrices as number[][][]) : [matrices as number[][]];
      classes.forEach((wanted, target) => {
        const options = { output: 'raw', class: target, interactions: true };
        const { base, contributions: found, interactions } = runtime.contributions(plan, rows[row]!, options);
        // XGBoost lists the base last.
        const got = wanted.map((line) => line.map(() => 0));
        got.at(-1)![got.length - 1] = base;
        found.forEach((one, at) => {
          found.forEach((other, to) => {
            got[one.index!]![other.index!] = interactions![at]![to]!;
            if (interactions![at]![to] !== interactions![to]![at]) throw new Error(`asymmetric: ${row}, ${at}, ${to}`);
          });
          expect(interactions![at]!.reduce((sum, part) => sum + part, 0)).toBeCloseTo(one.value, 10);
        });
        got.forEach((line, at) => {
          expect(compareNumbers(line, wanted[at], tolerance) ? [] : [row, target, at, line, wanted[at]]).toEqual([]);
        });
      });
    });
  });

  test.each(folders)('%s: contributions add up to the margin', async (folder) => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const { program } = importLightGbm(readFileSync(join(folder, 'model.lightgbm.txt')), flour, { outputs: ['raw'] });
    const plan = runtime.register(program.plan());
    for (const { x } of lines(join(folder, 'inputs.jsonl')).slice(0, 20)) {
      const why = runtime.contributions(plan, { x: values(x) });
      const sum = why.contributions.reduce((total, { value }) => total + value, why.base);
      const magnitude = why.contributions.reduce((total, { value }) => total + Math.abs(value), 1);
      expect(Math.abs(sum - why.raw)).toBeLessThan(1e-6 * magnitude);
      expect(why.contributions.length).toBeGreaterThan(0);
    }
  });
});
