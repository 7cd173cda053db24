import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/**
 * The folder of the corpus: the variable BREZEL_CORPUS, or a folder beside the repository. If the
 * folder is missing, it is undefined, and each test file prints that it skips its tests.
 */
export const corpus: string | undefined = [
  process.env.BREZEL_CORPUS,
  join(root, '..', 'shared', 'corpus'),
  join(root, 'shared', 'corpus'),
]
  .filter((folder) => folder !== undefined)
  .find((folder) => existsSync(join(folder, 'index.json')));
if (corpus === undefined) console.warn('no corpus: its models are not replayed; set BREZEL_CORPUS to its folder');

/** A model with rows and expected answers. The README of the corpus describes the format. */
export interface CorpusModel {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly inputs: readonly Readonly<Record<string, never>>[];
  readonly expected: readonly Readonly<Record<string, unknown>>[];
  readonly single: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly sklearn: readonly { readonly label?: unknown; readonly scores?: unknown }[] | undefined;
  readonly meta: {
    readonly inputs: readonly { readonly name: string; readonly type: string }[];
    readonly normal_rows: number;
    readonly tolerance: { readonly rtol: number; readonly atol: number };
    readonly unstable_rows: readonly number[];
    readonly near_tie_rows: readonly number[];
    readonly ort: { readonly batch_ok: boolean };
  };
}

/**
 * Returns the folders `pipelines/<name>`, `family/<name>` or `models/<name>` whose name starts with
 * the prefix.
 */
export function corpusFolders(part: 'family' | 'pipelines' | 'models', prefix = ''): string[] {
  if (corpus === undefined) return [];
  return readdirSync(join(corpus, part))
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(corpus!, part, name));
}

const lines = <T>(file: string): T[] | undefined =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as T)
    : undefined;

/**
 * Decodes a JSON value. NaN, infinities and some integers beyond 2^53 are strings in the corpus.
 * Integers beyond 2^53 become bigints.
 */
function decoded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decoded);
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return BigInt(value);
  return typeof value !== 'string' ? value : value in odd ? odd[value] : BigInt(value);
}

/** Reads the rows, the expected answers and the model of a folder. `file` is the model file. */
export function readModel(folder: string, file = join(folder, 'model.onnx')): CorpusModel {
  const meta = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8')) as CorpusModel['meta'];
  const types = new Map(meta.inputs.map(({ name, type }) => [name, type]));
  const row = (given: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        types.get(name)!.includes('string') ? value : decoded(value),
      ]),
    ) as Record<string, never>;
  return {
    name: folder.split('/').at(-1)!,
    bytes: readFileSync(file),
    inputs: lines<Record<string, unknown>>(join(folder, 'inputs.jsonl'))!.map(row),
    expected: lines<Record<string, unknown>>(join(folder, 'expected.jsonl'))!,
    single: lines(join(folder, 'expected_single.jsonl')),
    sklearn: lines(join(folder, 'sklearn.jsonl')),
    meta,
  };
}

/**
 * Compares an answer with the corpus. Returns a text about an output that differs by more than the
 * README of the corpus allows, or that the corpus does not contain. Returns undefined if the answer
 * agrees.
 */
export function compareRow(
  model: CorpusModel,
  row: number,
  got: Readonly<Record<string, unknown>>,
  want = model.expected[row]!,
): string | undefined {
  if ('__error' in want) return undefined;
  for (const [output, value] of Object.entries(want)) {
    if (compareNumbers(got[output], value, model.meta.tolerance)) continue;
    if (model.meta.unstable_rows.includes(row)) continue;
    const isLabel = typeof value === 'string' || Number.isInteger(value);
    if (isLabel && model.meta.near_tie_rows.includes(row)) continue;
    if (
      !isLabel &&
      row >= model.meta.normal_rows &&
      compareNumbers(got[output], value, { ...model.meta.tolerance, rtol: 1e-3 })
    )
      continue;
    return `${model.name}, row ${row}, ${output}: ${JSON.stringify(got[output])} instead of ${JSON.stringify(value)}`;
  }
  const extra = Object.keys(got).find((output) => !(output in want));
  return extra === undefined ? undefined : `${model.name}, row ${row}: an output ${extra} too many`;
}

const odd: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

/** Whether numbers, or lists and objects of them, agree within a tolerance. */
export function compareNumbers(got: unknown, want: unknown, tolerance: { rtol: number; atol: number }): boolean {
  if (Array.isArray(want))
    return (
      Array.isArray(got) &&
      got.length === want.length &&
      want.every((one, at) => compareNumbers(got[at], one, tolerance))
    );
  if (want !== null && typeof want === 'object') {
    const keys = Object.keys(want);
    return (
      got !== null &&
      typeof got === 'object' &&
      keys.length === Object.keys(got).length &&
      keys.every((key) =>
        compareNumbers((got as Record<string, unknown>)[key], (want as Record<string, unknown>)[key], tolerance),
      )
    );
  }
  if (typeof got === 'number' && typeof want === 'string' && want in odd) return Object.is(got, odd[want]);
  if (typeof got === 'number' && typeof want === 'number')
    return got === want || Math.abs(got - want) <= tolerance.atol + tolerance.rtol * Math.abs(want);
  // Integers beyond 2^53 are texts in the corpus.
  const isInteger = typeof got === 'bigint' || Number.isInteger(got);
  return got === want || (isInteger && String(BigInt(got as number)) === want);
}
