import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFlour, createRuntime, importScikitLearn, type Precision } from 'brezel';
import { expect } from 'vitest';

/** The rows of a model that `write_models.py` wrote, and the answers of scikit-learn. */
export interface Golden {
  readonly file: Buffer;
  readonly rows: readonly Record<string, unknown>[];
  readonly answers: readonly Record<string, unknown>[];
}

export const golden = (folder: string, name: string): Golden => ({
  file: readFileSync(join(folder, `${name}.json`)),
  rows: linesOf(join(folder, `${name}.rows.jsonl`)),
  answers: linesOf(join(folder, `${name}.answers.jsonl`)),
});

const linesOf = (path: string): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line, (_, value) => (value === 'NaN' ? Number.NaN : value)));

/**
 * Returns the greatest relative difference of two answers. Different texts and lengths differ
 * infinitely.
 */
export function difference(answer: unknown, expected: unknown): number {
  if (typeof expected === 'object' && expected !== null) {
    const [left, right] = [Object.entries(answer as object), Object.entries(expected)];
    if (left.length !== right.length) return Number.POSITIVE_INFINITY;
    return Math.max(0, ...right.map(([name, value]) => difference((answer as Record<string, unknown>)[name], value)));
  }
  if (typeof expected === 'string') return answer === expected ? 0 : Number.POSITIVE_INFINITY;
  const [left, right] = [Number(answer), Number(expected)];
  return Object.is(left, right) ? 0 : Math.abs(left - right) / (1 + Math.abs(right));
}

/** Returns the names of the models in a folder. */
export const namesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.replace('.json', ''));

/** Returns the greatest difference of the answers of all engines from those of scikit-learn. */
export async function worstDifference({ file, rows, answers }: Golden, precision: Precision): Promise<number> {
  let worst = 0;
  for (const options of [{}, { native: false }] as const) {
    using flour = await createFlour(options);
    await using runtime = createRuntime({ store: flour.store });
    const plan = runtime.register(importScikitLearn(file, flour, { precision }).program.plan(), { missing: 'accept' });
    const batch = await runtime.predictBatch(plan, rows);
    rows.forEach((row, index) => {
      const answer = runtime.predictSync(plan, row);
      expect(batch[index]).toStrictEqual(answer);
      worst = Math.max(worst, difference(answer, answers[index]));
    });
  }
  return worst;
}
