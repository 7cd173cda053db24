import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { FlourContext, type Flow, type Program } from '@brezel/flour';
import { ObjectStore } from '@brezel/object-store';
import { bake, printPlan, type RuleEvent, rules } from '@brezel/oven';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectGolden } from './golden.js';

let flour: FlourContext;
beforeAll(async () => {
  flour = new FlourContext(await ObjectStore.open());
});

const words = [['good'], ['bad'], ['not', 'good']];
const text = () => flour.columns({ text: 'string' }).select('text');
const countsOf = (from: Flow<'text'>) => from.tokenize().wordNgram({ vocabulary: words });
const counts = () => countsOf(text());

/** Word and character n-grams of one text under one linear model. */
function twoBranches(): Program {
  const review = text();
  const chars = review.charNgram({
    vocabulary: [
      ['g', 'o'],
      ['b', 'a'],
    ],
  });
  return flour.program({
    score: countsOf(review)
      .concat(chars)
      .linear({ weights: [1, 2, 3, 4, 5] }),
  });
}

/** The smallest program on which a rule has something to do. */
const programs: Record<string, () => Program> = {
  'duplicate-tokenizers'() {
    const tokens = text().stringNormalize().tokenize();
    const joined = tokens.wordNgram({ vocabulary: words }).concat(tokens.charNgram({ vocabulary: [['g', 'o']] }));
    return flour.program({ features: joined });
  },
  'split-at-pipeline-breakers': () =>
    flour.program({
      features: counts()
        .normalize('l2')
        .tfIdf({ idf: [1, 2, 3] }),
    }),
  'split-at-sharing-frontier': () => flour.program({ score: counts().logistic({ weights: [1, -1, -2] }) }),
  'group-by-bound': () =>
    flour.program({
      features: counts()
        .normalize('l2')
        .tfIdf({ idf: [1, 2, 3] }),
    }),
  'eliminate-identity'() {
    const score = counts().linear({ weights: [1, -1, -2] });
    return flour.program({ score: score.asScalar().unsafeAs('scalar').asVector() });
  },
  'eliminate-common-branches'() {
    const review = text();
    const branch = () => countsOf(review).tfIdf({ idf: [1, 2, 3] });
    return flour.program({ features: branch().concat(branch()) });
  },
  'push-linear-through-concat': () => twoBranches(),
  'fold-mirrored-classes'() {
    return flour.program({ scores: counts().linear({ weights: [-1, 1, 2, -2, 0, 0], bias: [0.5, -0.5] }) });
  },
  'eliminate-dead-outputs': () => twoBranches(),
  'inline-single-transform-stages'() {
    const scores = counts().treeEnsemble(stump);
    return flour.program({ label: scores.argMax(), probabilities: scores.softmax() });
  },
  'remove-empty-stages': () => twoBranches(),
};

/** One tree: is the word `good` there? */
const stump = {
  feature: Int32Array.of(0, 0, 0),
  threshold: Float32Array.of(0.5, 0, 0),
  mode: Int32Array.of(0, 6, 6),
  trueChild: Int32Array.of(1, 0, 0),
  falseChild: Int32Array.of(2, 0, 0),
  missingTrue: Int32Array.of(0, 0, 0),
  roots: Int32Array.of(0),
  leafStart: Int32Array.of(0, 0, 1, 2),
  leafTarget: Int32Array.of(0, 1),
  leafWeight: Float32Array.of(1, 1),
  base: Float32Array.of(0, 0),
};

describe('each rewriting rule', () => {
  for (const [name, program] of Object.entries(programs)) {
    it(name, () => {
      const events: RuleEvent[] = [];
      bake(program(), { observe: (event) => events.push(event) }).release();
      const event = events.find(({ rule }) => rule === name);
      expect(event, `${name} did not fire`).toBeDefined();
      const golden = `before\n${indent(printPlan(event!.before))}\n\nafter\n${indent(printPlan(event!.after))}\n`;
      expectGolden(new URL(`../src/steps/${folder(name)}/${name}.golden`, import.meta.url), golden);
    });
  }
});

const indent = (lines: string) => lines.replaceAll(/^/gm, '  ');
const folder = (name: string) =>
  `${rules.find((rule) => rule.name === name)!.step === 'build-stages' ? '2-build' : '3-optimize'}-stages`;

it('lists every rule file, and every rule has a file of its name', () => {
  const steps = new URL('../src/steps/', import.meta.url);
  const files = readdirSync(steps, { recursive: true, encoding: 'utf8' }).filter((file) => /^\d-.*\.ts$/.test(file));
  expect(files.map((file) => basename(file, '.ts')).sort()).toEqual(rules.map((rule) => rule.name).sort());
});
