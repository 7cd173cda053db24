import { readFileSync } from 'node:fs';
import { type SparseBlock, sizeOf, strings } from '@brezel/core';
import type { Flow, HashingVectorizerOptions, TfidfVectorizerOptions } from 'brezel';
import { bake, createFlour, runProgram } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { Engines, expectSame } from '../conformance/engines.js';

// Compares every engine with answers of scikit-learn, which scripts/gen-scikit-learn-text.py wrote.

type Options = Readonly<Record<string, unknown>>;
interface Case {
  readonly options: Options;
  readonly vocabulary?: readonly string[];
  readonly idf?: readonly number[];
  /** For each text: column, value, column, value, ..., in ascending order of columns. */
  readonly rows: readonly (readonly number[])[];
}
interface Cases {
  readonly texts: readonly string[];
  readonly count: readonly Case[];
  readonly tfidf: readonly Case[];
  readonly hashing: readonly Case[];
}

const { texts, count, tfidf, hashing } = JSON.parse(
  readFileSync(new URL('generated/scikit-learn.json', import.meta.url), 'utf8'),
) as Cases;

const flour = await createFlour();
const engines = new Engines(flour.store);
const text = flour.columns({ text: 'string' }).select('text');
afterAll(() => flour.dispose());

/**
 * Returns the options of scikit-learn under Flour's names: ngram_range → ngramRange. Flour has no
 * `useIdf`, because a vectorizer without `idf` does not weigh.
 */
const camelCase = ({ use_idf: _, ...options }: Options): object =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

/** Wider vectors are compared by a weighted sum of their entries. */
const MOST_COLUMNS = 20_000;

async function check(features: Flow<'vector'>, { rows }: Case, tolerance: number): Promise<void> {
  const { features: block } = runProgram(flour.program({ features }), { text: strings(texts.length, 1, texts) });
  rows.forEach((want, row) => {
    const got = entriesOf(block as SparseBlock, row);
    const columns = want.filter((_, at) => at % 2 === 0);
    expect(
      got.map(([column]) => column),
      `columns of ${JSON.stringify(texts[row])}`,
    ).toEqual(columns);
    got.forEach(([, value], at) => {
      const wanted = want[2 * at + 1]!;
      expect(Math.abs(value - wanted), `${value} instead of ${wanted}`).toBeLessThanOrEqual(
        tolerance * Math.abs(wanted),
      );
    });
  });
  const size = sizeOf(features.type);
  const weights = Float32Array.from({ length: size }, (_, column) => Math.sin(column));
  const outputs: Readonly<Record<string, Flow>> =
    size > MOST_COLUMNS ? { score: features.linear({ weights }) } : { features };
  const plan = bake(flour.program(outputs), { exact: true });
  try {
    const { engine, answers } = await engines.answers(
      plan,
      texts.map((one) => ({ text: one })),
    );
    expectSame(answers, answers.get('reference')!);
    if (engines.native) expect(engine).toBe('native');
  } finally {
    plan.release();
  }
}

/** Returns the entries of a row that are not 0, in ascending order of columns. */
function entriesOf({ offsets, ids, values }: SparseBlock, row: number): [column: number, value: number][] {
  const entries: [number, number][] = [];
  for (let at = offsets[row]!; at < offsets[row + 1]!; at++)
    if (values[at] !== 0) entries.push([ids[at]!, values[at]!]);
  return entries.sort(([a], [b]) => a - b);
}

const named = (cases: readonly Case[]) => cases.map((one) => [JSON.stringify(one.options), one] as const);

/**
 * The relative tolerance for some roundings to float32: a square root, a quotient and a product.
 */
const FLOAT32 = 5e-7;

describe('scikit-learn', () => {
  test.each(named(count))('CountVectorizer %s', (_, one) =>
    check(text.countVectorizer({ vocabulary: one.vocabulary!, ...camelCase(one.options) }), one, 0),
  );

  test.each(named(tfidf))('TfidfVectorizer %s', (_, one) => {
    const { vocabulary, idf } = one;
    const options: TfidfVectorizerOptions = { vocabulary: vocabulary!, ...(idf && { idf }), ...camelCase(one.options) };
    return check(text.tfidfVectorizer(options), one, FLOAT32);
  });

  test.each(named(hashing))('HashingVectorizer %s', (_, one) => {
    const options: HashingVectorizerOptions = camelCase(one.options);
    return check(text.hashingVectorizer(options), one, FLOAT32);
  });
});
