import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { vector } from '@brezel/core';
import { FlourContext, type Flow, type Program, type Statistics } from '@brezel/flour';
import { ObjectStore } from '@brezel/object-store';
import { bake, type LogicalPlan, printPlan, type RuleEvent, rules, withLogicalPlan } from '@brezel/oven';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectGolden } from '../../../testing/golden.js';
import { drawInputs, firstDifference, runPlan } from './run-plan.js';

let flour: FlourContext;
beforeAll(async () => {
  flour = new FlourContext(await ObjectStore.open());
});

const words = [['good'], ['bad'], ['not', 'good']];
const text = () => flour.columns({ text: 'string' }).select('text');
const countsOf = (from: Flow<'text'>, statistics: Statistics = {}) =>
  from.tokenize().wordNgram({ vocabulary: words, statistics });
const counts = (statistics?: Statistics) => countsOf(text(), statistics);

/** A linear model over word and character n-grams of one text. */
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

/** For each rule, the smallest program that it changes. */
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
    return flour.program({ features: branch().concat(branch().normalize('l2')) });
  },
  'push-count-linear-through-concat': () => twoBranches(),
  'push-linear-through-concat'() {
    const { age, fare } = rowOfNumbers();
    return flour.program({ score: age.concat(fare).linear({ weights: [1, 2, 3, 4] }) });
  },
  'round-count-weights': () =>
    flour.program({
      score: counts()
        .tfIdf({ idf: [1, 2, 4] })
        .linear({ weights: [0.5, -1, 2] }),
    }),
  'skip-counting': () => twoBranches(),
  'fold-mirrored-classes'() {
    return flour.program({ scores: counts().linear({ weights: [-1, 1, 2, -2, 0, 0], bias: [0.5, -0.5] }) });
  },
  'merge-equal-stages'() {
    const review = text();
    return flour.program({ features: countsOf(review).concat(countsOf(review)) });
  },
  'push-select-through-concat'() {
    const { age, fare } = rowOfNumbers();
    return flour.program({ kept: age.concat(fare, age.map('abs')).selectColumns([3, 0]) });
  },
  'prune-unused-inputs'() {
    const { age, fare } = rowOfNumbers();
    return flour.program({ score: age.concat(fare.map('log')).treeEnsemble(oneTree(1)) });
  },
  'fold-affine-chains': () =>
    flour.program({ scaled: rowOfNumbers().fare.arithmetic('divide', 4).arithmetic('multiply', [2, 8]) }),
  'fold-affine-into-forest': () =>
    flour.program({ score: rowOfNumbers().fare.treeEnsemble(oneTree(1)).arithmetic('multiply', 0.5) }),
  'merge-added-forests'() {
    const { fare } = rowOfNumbers();
    const vote = (weight: number) => fare.treeEnsemble(oneTree(0, weight));
    return flour.program({ score: vote(1).arithmetic('add', vote(2)).arithmetic('add', vote(3)) });
  },
  'merge-concatenated-forests'() {
    const { fare } = rowOfNumbers();
    const scores = fare.treeEnsemble(oneTree(0)).concat(fare.treeEnsemble(oneTree(1)));
    return flour.program({ label: scores.argMax(), scores });
  },
  'push-linear-through-select': () =>
    flour.program({
      score: counts()
        .selectColumns([2, 0])
        .linear({ weights: [1, 2] }),
    }),
  'fold-affine-into-linear': () =>
    flour.program({
      score: rowOfNumbers()
        .fare.arithmetic('subtract', [30, 1])
        .arithmetic('divide', [10, 2])
        .linear({ weights: [0.5, -1], bias: 2 }),
    }),
  'fold-normalize-into-linear'() {
    const pixels = flour.input('pixels', vector('float32', 32)) as Flow<'vector'>;
    return flour.program({ score: pixels.normalize('l2').linear({ weights: Array(32).fill(0.5), bias: 2 }) });
  },
  'eliminate-dead-outputs': () => twoBranches(),
  'inline-single-transform-stages'() {
    const scores = counts().treeEnsemble(stump);
    return flour.program({ label: scores.argMax(), probabilities: scores.softmax() });
  },
  'remove-empty-stages': () => twoBranches(),
  'mark-sparse-dense': () => {
    const words = counts({ density: 0.75 });
    // weights that differ too much to be integers, so that the model stays `linear`
    return flour.program({ score: words.logistic({ weights: [1, -1, 2e-9] }) });
  },
  'stage-schemas': () => flour.program({ score: counts().logistic({ weights: [1, -1, -2] }) }),
  'max-vector-sizes': () => flour.program({ features: counts({ maxVectorSize: 2 }) }),
  'mark-vectorizable': () => flour.program({ score: rowOfNumbers().fare.treeEnsemble(oneTree(1)).map('sigmoid') }),
  'mark-materializable': () => flour.program({ features: counts() }),
};

/** Programs that a rule must not change, because they break one condition of the rule. */
const unchanged: Record<string, Record<string, () => Program>> = {
  'fold-affine-chains': {
    'an addition after a multiplication': () =>
      flour.program({ y: rowOfNumbers().fare.arithmetic('multiply', 2).arithmetic('add', 1) }),
    'a chain whose first result is also an output'() {
      const sum = rowOfNumbers().fare.arithmetic('add', 2);
      return flour.program({ sum, both: sum.arithmetic('add', 1) });
    },
    'a chain with an infinite product': () =>
      flour.program({ y: rowOfNumbers().fare.arithmetic('multiply', 2e38).arithmetic('multiply', 2e38) }),
  },
  'push-select-through-concat': {
    'a selection that alternates between the inputs'() {
      const { age, fare } = rowOfNumbers();
      return flour.program({ kept: age.concat(fare).selectColumns([0, 2, 1, 3]) });
    },
  },
  'fold-affine-into-linear': {
    'scaled features that are also an output'() {
      const scaled = rowOfNumbers().fare.arithmetic('multiply', [10, 2]);
      return flour.program({ scaled, score: scaled.linear({ weights: [0.5, -1] }) });
    },
    'an offset above 256': () =>
      flour.program({
        score: rowOfNumbers()
          .fare.arithmetic('add', 300)
          .linear({ weights: [0.5, -1] }),
      }),
  },
  'round-count-weights': {
    'counts beside numbers'() {
      const { fare } = rowOfNumbers();
      const words = counts().tfIdf({ idf: [1, 2, 4] });
      return flour.program({ score: words.concat(fare).linear({ weights: [1, 2, 3, 4, 5] }) });
    },
    'weights that differ too much': () =>
      flour.program({
        score: counts()
          .tfIdf({ idf: [2 ** 60, 2 ** -60, 1] })
          .linear({ weights: [1, 1, 0] }),
      }),
  },
  'skip-counting': {
    'counts that are also an output'() {
      const words = counts();
      return flour.program({ words, score: words.linear({ weights: [1, 2, 3] }) });
    },
    'counts that a norm reads too'() {
      const words = counts();
      return flour.program({
        score: words.linear({ weights: [1, 2, 3] }),
        other: words.normalize('l2').linear({ weights: [1, 2, 3] }),
      });
    },
  },
  'fold-mirrored-classes': {
    'two classes with one weight that is not mirrored': () =>
      flour.program({ scores: counts().linear({ weights: [-1, 1, 2, -2, 0, 1], bias: [0.5, -0.5] }) }),
  },
};

/** Two vectors of two numbers each. */
function rowOfNumbers(): { age: Flow<'vector'>; fare: Flow<'vector'> } {
  const input = (name: string) => flour.input(name, vector('float32', 2)) as Flow<'vector'>;
  return { age: input('age'), fare: input('fare') };
}

/** One tree with one target, which tests whether a column exceeds 0.5. */
const oneTree = (feature: number, weight = 1) => ({
  ...stump,
  feature: Int32Array.of(feature, 0, 0),
  leafTarget: Int32Array.of(0, 0),
  leafWeight: Float32Array.of(weight, -weight),
  base: Float32Array.of(0.25),
});

/** One tree, which tests whether the text contains the word `good`. */
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
  it('has a golden plan; rules that only check have no golden plan', () => {
    const checks = ['check-graph', 'propagate-schema', 'check-schema', 'check-stage-graph'];
    expect([...Object.keys(programs), ...checks].sort()).toEqual(rules.map((rule) => rule.name).sort());
  });

  for (const [name, program] of Object.entries(programs)) {
    it(name, () => {
      let golden = '';
      const observe = ({ rule, before, after }: RuleEvent) => {
        if (rule === name && golden === '') golden = `before\n${shown(before)}\n\nafter\n${shown(after)}\n`;
      };
      bake(program(), { observe }).release();
      expect(golden, `${name} did not fire`).not.toBe('');
      expectGolden(new URL(`../src/steps/${folder(name)}/${name}.golden`, import.meta.url), golden);
    });

    it(`${name}: equal answers before and after`, () => {
      const { exact } = rules.find((rule) => rule.name === name)!;
      let changes = 0;
      const observe = ({ rule, before, after }: RuleEvent) => {
        if (rule !== name) return;
        changes++;
        const inputs = drawInputs(before, exact);
        const [wanted, got] = [before, after].map((plan) => runPlan(plan, inputs, flour.store));
        expect(firstDifference(got!, wanted!, exact)).toBeUndefined();
      };
      bake(program(), { observe }).release();
      expect(changes).toBeGreaterThan(0);
    });
  }

  const untouched = Object.entries(unchanged).flatMap(([rule, cases]) =>
    Object.entries(cases).map(([name, program]) => [rule, name, program] as const),
  );
  it.each(untouched)('%s does not change %s', (name, _, program) => {
    const changes: string[] = [];
    bake(program(), { observe: ({ rule }) => changes.push(rule) }).release();
    expect(changes).not.toContain(name);
  });

  it.each([
    ['a rule that is exact', true, 1e-7],
    ['a rule that regroups sums', false, 1e-3],
  ])('a wrong answer of %s is detected', (_, exact, error) => {
    const answers = withLogicalPlan(twoBranches(), {}, (plan) => runPlan(plan, drawInputs(plan, exact), flour.store));
    const wrong = answers.map((rows) => rows.map((row) => row.map((value) => Number(value) + error)));
    expect(firstDifference(wrong, answers, exact)).toMatch(/^output 0, row 0: /);
  });
});

/** Formats the plan, and the numbers of small parameters. */
function shown(plan: LogicalPlan): string {
  const lines = plan.nodes.flatMap(({ operator, parameters }) =>
    Object.entries(parameters).flatMap(([name, id]) => {
      const value = flour.store.get(id);
      const few = value.dtype !== 'string' && value.data.length <= 8 && !untold.has(name);
      return few ? [`${operator!.name}.${name} = [${Array.from(value.data as Float32Array, round).join(', ')}]`] : [];
    }),
  );
  return indent([printPlan(plan), ...new Set(lines)].join('\n'));
}

/** Parameters that `shown` omits: parts of vocabularies and trees. */
const untold = new Set(['grams', 'mode', 'trueChild', 'falseChild', 'missingTrue', 'leafStart']);
const round = (value: number) => Number(value.toPrecision(6));

const indent = (lines: string) => lines.replaceAll(/^/gm, '  ');
const folders: Readonly<Record<string, string>> = {
  'build-stages': '2-build-stages',
  'optimize-stages': '3-optimize-stages',
  'validate-output': '4-validate-output',
};
const folder = (name: string) => folders[rules.find((rule) => rule.name === name)!.step];

it('the list contains every rule file, and every rule has a file with its name', () => {
  const steps = new URL('../src/steps/', import.meta.url);
  const files = readdirSync(steps, { recursive: true, encoding: 'utf8' }).filter((file) => /^\d-.*\.ts$/.test(file));
  expect(files.map((file) => basename(file, '.ts')).sort()).toEqual(rules.map((rule) => rule.name).sort());
});
