import { afterEach, describe, expect, it } from 'vitest';
import { seed as SEED } from '../../testing/seed.js';
import { characterDictionary, Random, type TextRules, textProgram, wordDictionary } from './blobs.js';
import { addon, codeOf, firstDifference, isas, Program } from './harness.js';

/**
 * Checks that a plan of several stages gives the same results as its stages run separately. Also
 * checks the time of each stage.
 */

const random = new Random(SEED);

const releases: (() => void)[] = [];
afterEach(() => {
  for (const release of releases.splice(0)) release();
});

const rules: TextRules = {
  mode: 'runs',
  minimumRun: 1,
  fold: (code) => (code >= 65 && code < 91 ? code + 32 : code),
  isInClass: (code) => (code >= 97 && code < 123) || code >= 0xc0,
};
const WORDS = ['good', 'bad', 'very', 'é', 'crème', 'a', 'x'.repeat(20), 'unknown', 'never'];
const someText = () => Array.from({ length: random.below(60) }, () => random.pick(WORDS)).join(' ');
const column = (symbols: string[], at: number) => ({ symbols, column: at });

type Stage = [text: Uint8Array, dictionary: [bytes: Uint8Array, columns: number], stopWords?: Uint8Array];

/**
 * Stages with one text_ngram each: words with pairs, characters, words with stop words, words of a
 * large dictionary. Their parameters are built once, because the large dictionary takes a second.
 */
const STAGES: readonly (() => Program)[] = [
  (): Stage => [textProgram(rules), pairs(0)],
  (): Stage => {
    const grams = ['goo', 'bad', ' cr', 'rèm', 'y v', 'é g'].map((triple, at) => column([...triple], at));
    const dictionary = characterDictionary({ grams, columns: 6, minN: 3, maxN: 3, seed: 3, load: 0.9 }, 2);
    return [textProgram({ ...rules, mode: 'characters', isInClass: () => true }), [dictionary, 6]];
  },
  (): Stage => {
    const stops = ['', 'good', 'very bad'].map((text, at) => column([text], at));
    const stopWords = wordDictionary({ grams: stops, columns: 3, minN: 1, maxN: 1, seed: 9, load: 0.5 });
    return [textProgram(rules), pairs(0), stopWords];
  },
  (): Stage => [textProgram(rules), pairs(70_000)],
].map((build) => {
  let stage: Stage | undefined;
  return () => {
    stage ??= build();
    return textStage(...stage);
  };
});

/**
 * Returns a dictionary of words, of pairs, and of `more` words that no text contains. Also returns
 * the number of its columns.
 */
function pairs(more: number): [Uint8Array, number] {
  const known = WORDS.filter((word) => word !== 'unknown');
  const grams = [
    ...known.map((word) => [word]),
    ...known.flatMap((a) => known.slice(0, 3).map((b) => [a, b])),
    ...Array.from({ length: more }, (_, at) => [`w${at}`]),
  ];
  const columns = grams.length;
  const all = grams.map((symbols, at) => column(symbols, at));
  return [wordDictionary({ grams: all, columns, minN: 1, maxN: 2, seed: 7, load: 0.9 }), columns];
}

function textStage(text: Uint8Array, [dictionary, columns]: [Uint8Array, number], stopWords?: Uint8Array): Program {
  const program = new Program();
  const parameters = stopWords ? [text, dictionary, stopWords] : [text, dictionary];
  const counts = program.call('text_ngram', [program.input('text')], ['sparse', columns], parameters, [0]);
  // Each column has three different weights, so that different columns, counts or orders give
  // different results.
  const weights = Float32Array.from({ length: columns * 3 }, (_, at) => Math.sin(at + 1));
  program.output(program.call('linear', [counts], ['dense', 3], [weights, new Float32Array(3)]));
  releases.push(() => program.free());
  return program;
}

/** Returns a plan of these stages. Stage i reads plan input `texts[i]`. */
function planOf(programs: readonly Program[], isa: (typeof isas)[number], texts: readonly number[]) {
  const inputs = Math.max(...texts) + 1;
  const stages = programs.map((program) => addon.stageCreate(program.source(isa)));
  const plan = addon.planCreate({
    stages,
    wiring: programs.flatMap((_, at) => [1, 1, texts[at]!, inputs + at]),
    inputs: Array.from({ length: inputs }, (_, at) => at),
    outputs: programs.map((_, at) => inputs + at),
    maxInputBytes: 1 << 16,
  });
  for (const stage of stages) addon.stageRelease(stage);
  releases.push(() => addon.planRelease(plan));
  return plan;
}

const ROWS = [0, 1, 2, 257];
const rowsOf = (rows: number) => Array.from({ length: rows }, () => (random.below(8) ? someText() : ''));

describe.each(isas)('stages on %s', (isa) => {
  it.each([1, 2, 3, 4])('%i text stages in one plan give the same answers as separate plans', (count) => {
    const programs = STAGES.slice(0, count).map((make) => make());
    for (const texts of [programs.map(() => 0), programs.map((_, at) => at)]) {
      const plan = planOf(programs, isa, texts);
      for (const rows of ROWS) {
        const columns = Array.from({ length: Math.max(...texts) + 1 }, () => rowsOf(rows));
        const out = new Float64Array(rows * 3 * count);
        addon.predictRows(plan, columns, rows, out);
        programs.forEach((program, stage) => {
          const alone = program.run(isa, [columns[texts[stage]!]!], rows);
          const own = out.filter((_, at) => Math.floor(at / 3) % count === stage);
          expect(firstDifference(own, alone), `stage ${stage}, ${rows} rows, seed ${SEED}`).toBe(-1);
        });
      }
    }
  });
});

describe('profileRows', () => {
  const makePlan = () => planOf([STAGES[0]!(), STAGES[1]!()], isas.at(-1)!, [0, 0]);

  it('gives the answers of predictRows, and adds up the time of each stage', () => {
    const plan = makePlan();
    const texts = rowsOf(600);
    const [expected, out] = [new Float64Array(3600), new Float64Array(3600)];
    addon.predictRows(plan, [texts], 600, expected);
    const nanoseconds = Float64Array.of(1e12, 0, -1);
    addon.profileRows(plan, [texts], 600, out, nanoseconds);
    expect(firstDifference(out, expected)).toBe(-1);
    const [first, second] = [nanoseconds[0]! - 1e12, nanoseconds[1]!];
    expect(Math.min(first, second)).toBeGreaterThan(0);
    expect(nanoseconds[2]).toBe(-1);
  });

  it('requires an element for every stage', () => {
    const plan = makePlan();
    const run = (nanoseconds: unknown) =>
      codeOf(() => addon.profileRows(plan, [['a']], 1, new Float64Array(6), nanoseconds as Float64Array));
    for (const wrong of [undefined, null, {}, new Float64Array(1), new Float32Array(2), [0, 0]])
      expect(run(wrong)).toBe('ERR_NATIVE_ARGUMENT');
    expect(run(new Float64Array(2))).toBeUndefined();
  });
});

it('trimMemory may be called at any time', () => {
  const program = STAGES[0]!();
  const before = program.run(isas.at(-1)!, [['good bad']], 1);
  expect(addon.trimMemory()).toBeUndefined();
  expect(firstDifference(program.run(isas.at(-1)!, [['good bad']], 1), before)).toBe(-1);
});
