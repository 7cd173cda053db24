import { describe, it } from 'vitest';
import { characterDictionary, Random, type TextRules, textProgram, wordDictionary } from '../test/blobs.js';
import { addon, isas, Program } from '../test/harness.js';

/**
 * Measures the sentiment pipeline as one call. The pipeline has word 1-2-grams, character 3-grams
 * and a linear model. The texts have 100 words. Run it with `npx vitest run --config
 * native/bench/vitest.config.ts`. It prints microseconds over 1000 texts. SIZES=10000,1000000 sets
 * the sizes of the dictionaries.
 */

const random = new Random(42);
const letters = 'etaoinshrdlucmfwypvbgkjqxz';

/** Returns distinct words whose lengths resemble those of English words. */
function makeWords(count: number): string[] {
  const words = new Set<string>();
  while (words.size < count) {
    const length = 2 + random.below(5) + random.below(6);
    words.add(Array.from({ length }, () => letters[Math.floor(26 * random.next() ** 2)]!).join(''));
  }
  return [...words];
}

/**
 * Returns a random word rank, distributed as in real texts: rank r has a probability of about 1 /
 * r.
 */
const zipf = (limit: number) => Math.min(limit - 1, Math.floor(limit ** random.next()) - 1);

function makeModel(entries: number, texts: readonly string[], words: readonly string[]) {
  const grams = words.slice(0, Math.ceil(entries * 0.3)).map((word) => [word]);
  const seen = new Set<string>();
  while (grams.length + seen.size < entries) seen.add(`${words[zipf(words.length)]}\u0001${words[zipf(words.length)]}`);
  const all = [...grams, ...[...seen].map((key) => key.split('\u0001'))].map((symbols, column) => ({
    symbols,
    column,
  }));
  const triples = [...new Set(texts.flatMap((text) => [...text].map((_, at) => text.slice(at, at + 3))))].filter(
    (triple) => triple.length === 3,
  );
  const characters = triples.map((triple, column) => ({ symbols: [...triple], column }));
  return {
    words: wordDictionary({ grams: all, columns: all.length, minN: 1, maxN: 2, seed: 1, load: 0.7 }),
    wordColumns: all.length,
    characters: characterDictionary(
      { grams: characters, columns: characters.length, minN: 3, maxN: 3, seed: 1, load: 0.7 },
      3,
    ),
    characterColumns: characters.length,
  };
}

function measure(run: (at: number) => void): { median: number; best: number; p99: number } {
  for (let at = 0; at < 3000; at++) run(at);
  const samples: number[] = [];
  for (let block = 0; block < 400; block++) {
    const start = process.hrtime.bigint();
    for (let at = 0; at < 50; at++) run(block * 50 + at);
    samples.push(Number(process.hrtime.bigint() - start) / 50_000);
  }
  samples.sort((a, b) => a - b);
  return { median: samples[200]!, best: samples[0]!, p99: samples[396]! };
}

const floats = (count: number) => Float32Array.from({ length: count }, () => random.next() - 0.5);
const rules: TextRules = {
  mode: 'runs',
  minimumRun: 1,
  fold: (code) => (code >= 65 && code < 91 ? code + 32 : code),
  isInClass: (code) => (code >= 48 && code < 58) || (code >= 97 && code < 123) || code >= 0xc0,
};

describe('predictText', () => {
  const sizes = (process.env.SIZES ?? '10000,100000,1000000').split(',').map(Number);
  it.each(sizes)('%i entries', { timeout: 600_000 }, (entries) => {
    const words = makeWords(Math.ceil(entries * 0.33));
    const text = (length: number) => Array.from({ length }, () => words[zipf(words.length)]!).join(' ');
    const texts = Array.from({ length: 1000 }, () => text(100));
    const model = makeModel(entries, texts, words);
    const parts = { all: true, words: true, characters: true } as Record<string, boolean>;
    for (const isa of isas) {
      for (const part of Object.keys(parts)) {
        const program = new Program();
        const input = program.input('text');
        const inputs: number[] = [];
        const weights: Float32Array[] = [];
        if (part !== 'characters') {
          inputs.push(
            program.call('text_ngram', [input], ['sparse', model.wordColumns], [textProgram(rules), model.words], [0]),
          );
          weights.push(floats(model.wordColumns));
        }
        if (part !== 'words') {
          const program_ = textProgram({ ...rules, mode: 'characters', isInClass: () => true });
          inputs.push(
            program.call('text_ngram', [input], ['sparse', model.characterColumns], [program_, model.characters], [0]),
          );
          weights.push(floats(model.characterColumns));
        }
        program.output(program.call('linear', inputs, ['dense', 1], [...weights, floats(1)]));
        const plan = program.plan(isa);
        const out = new Float64Array(1);
        const { median, best, p99 } = measure((at) => addon.predictText(plan, texts[at % 1000]!, out));
        console.log(
          `${entries} ${isa} ${part}: median ${median.toFixed(2)} best ${best.toFixed(2)} p99 ${p99.toFixed(2)} us`,
        );
        program.free();
      }
    }
    console.log(
      `text of ${texts.reduce((sum, t) => sum + t.length, 0) / 1000} characters; dictionary ${model.words.length >> 20} MB`,
    );
  });
});
