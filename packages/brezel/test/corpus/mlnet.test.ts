import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, createFlour, createRuntime, importMlNet, type MlNetOptions } from 'brezel';
import { describe, expect, test } from 'vitest';
import { corpus } from './corpus.js';

// Compares archives of ML.NET's samples and tests with the documented answers.

const file = (name: string) => readFileSync(join(corpus!, 'mlnet-zip', name));
const table = (name: string): string[][] =>
  file(name)
    .toString()
    .trimEnd()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.split('\t'));

async function answersOf(model: string, rows: readonly object[], options: MlNetOptions = {}): Promise<Answer[]> {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, executors: 0 });
  const plan = runtime.register(importMlNet(file(`${model}/model.zip`), flour, options).program.plan());
  const answers = await runtime.predictBatch(plan, rows as never);
  const reference = await runtime.predictBatch(plan, rows as never, { engine: 'reference' });
  expect(reference).toEqual(answers);
  return answers;
}

describe.skipIf(corpus === undefined)('archives of ML.NET', () => {
  test('iris: every flower of the test set', async () => {
    const lines = table('iris-sdca/iris-test.txt').map((line) => line.map(Number));
    const rows = lines.map(([, SepalLength, SepalWidth, PetalLength, PetalWidth]) => {
      return { SepalLength, SepalWidth, PetalLength, PetalWidth };
    });
    const answers = await answersOf('iris-sdca', rows);
    expect(answers.map((one) => one.PredictedLabel)).toEqual(lines.map(([label]) => label));
  });

  test('sentiment: the rows that ML.NET tests, far from the threshold', async () => {
    const lines = table('sentiment-wikipedia-detox/wikipedia-detox-250-line-test.tsv').slice(0, 5);
    const rows = lines.map(([, SentimentText]) => ({ SentimentText }));
    const answers = await answersOf('sentiment-wikipedia-detox', rows);
    answers.forEach(({ PredictedLabel, Score }, at) => {
      const isToxic = lines[at]![0] === '1';
      expect([at, PredictedLabel, (Score as number) > 1, (Score as number) < -1]).toEqual([
        at,
        isToxic,
        isToxic,
        !isToxic,
      ]);
    });
  });

  test('hashes: the keys that ML.NET tests', async () => {
    const lines = file('murmurhash-v1/expected_murmurHash.tsv').toString().trimEnd().split(/\r?\n/);
    const pairs = lines
      .filter((line) => !line.startsWith('#'))
      .slice(1)
      .map((line) => line.split('\t'));
    const answers = await answersOf(
      'murmurhash-v1',
      pairs.map(([Foo]) => ({ Foo })),
    );
    // ML.NET counts keys from 0 when it prints them.
    expect(answers).toEqual(pairs.map(([, Bar]) => ({ Bar: Number(Bar) + 1 })));
    expect(pairs.length).toBeGreaterThan(1);
  });

  test("taxi: the sample's trip, whose fare was 15.5", async () => {
    const trip = {
      VendorId: 'VTS',
      RateCode: '1',
      PassengerCount: 1,
      TripTime: 1140,
      TripDistance: 3.75,
      PaymentType: 'CRD',
    };
    const [answer] = await answersOf('taxi-sdca', [trip]);
    expect(Math.abs((answer!.Score as number) - 15.5)).toBeLessThan(0.5);
  });

  test('bikes: columns out of the training data, trees in float64', async () => {
    const names =
      'Season Year Month Hour Holiday Weekday Weather Temperature NormalizedTemperature Humidity Windspeed'.split(' ');
    const rowOf = (values: readonly number[]) => Object.fromEntries(names.map((name, at) => [name, values[at]]));
    // A morning in summer, and a night in winter.
    const rows = [
      [3, 1, 8, 10, 0, 4, 1, 0.8, 0.7576, 0.55, 0.2239],
      [1, 1, 1, 3, 0, 1, 1, 0.2, 0.2, 0.6, 0.1],
    ].map(rowOf);
    const [busy, night] = (await answersOf('bike-fasttree', rows)).map((one) => one.Score as number);
    expect([busy! > 100, night! < 40]).toEqual([true, true]);
  });
});
