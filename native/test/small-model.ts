import { textProgram, wordDictionary } from './blobs.js';
import type { Program } from './harness.js';

/** The rules of a text program whose words are runs of non-blank characters. */
export const rules = {
  mode: 'runs',
  minimumRun: 1,
  fold: (code: number) => code,
  isInClass: (code: number) => code > 32 || code === 0,
} as const;
export const runs = textProgram(rules);
const vocabulary = ['good', 'bad', 'not', 'a\0b', '\ufffd', 'a-word-of-more-than-fifteen-bytes'];
const grams = [...vocabulary.map((word) => [word]), ['not', 'good']].map((symbols, at) => ({ symbols, column: at }));
export const dictionary = wordDictionary({ grams, columns: 7, minN: 1, maxN: 2, seed: 7, load: 0.9 });

/** Adds the smallest complete model: text -> counts -> linear. */
export function smallModel(program: Program): Program {
  const counts = program.call('text_ngram', [program.input('text')], ['sparse', 7], [runs, dictionary], [0]);
  program.output(
    program.call(
      'linear',
      [counts],
      ['dense', 1],
      [Float32Array.of(1, 10, 100, 1e3, 1e4, 1e5, 1e6), Float32Array.of(0.5)],
    ),
  );
  return program;
}
