import { describe, expect, it } from 'vitest';
import {
  epsilonGreedy,
  exp3,
  exp4,
  linUcb,
  type Observation,
  type SelectionPolicy,
  thompson,
  ucb1,
} from '../dist/index.js';
import { chancesToBeBest } from '../src/policies/thompson.js';
import { drawing } from './drawing.js';

/** Runs a policy where candidate k loses with chance `chances(round)[k]`. Returns the mean loss. */
function simulated(
  policy: SelectionPolicy,
  rounds: number,
  chances: (round: number) => readonly number[],
  features?: (round: number) => readonly number[],
): number {
  const random = drawing(7);
  const candidates = chances(0).map((_, at) => `m${at}`);
  let state = policy.init(candidates);
  let total = 0;
  for (let round = 0; round < rounds; round++) {
    const x = features === undefined ? {} : { features: features(round) };
    const lost = chances(round).map((chance) => (random() < chance ? 1 : 0));
    const { ask, probabilities } = policy.select(state, { candidates, random, ...x });
    const answers = new Map(ask.map((name) => [name, lost[Number(name.slice(1))]!]));
    const join = (weights: Readonly<Record<string, number>>) => {
      const wrong = ask.reduce((sum, name) => sum + (weights[name] ?? 0) * answers.get(name)!, 0);
      const all = ask.reduce((sum, name) => sum + (weights[name] ?? 0), 0);
      return { answer: wrong * 2 > all ? 1 : 0, confidence: 1 };
    };
    total += policy.combine(state, { asked: ask, answers, join }).answer;
    const observation: Observation = { losses: Object.fromEntries(answers), probabilities, ...x };
    state = policy.observe(Object.freeze(state), observation);
  }
  return total / rounds;
}

const policies: Readonly<Record<string, SelectionPolicy>> = {
  exp3: exp3(),
  exp4: exp4(),
  ucb1: ucb1({ memory: 300 }),
  thompson: thompson({ memory: 300 }),
  'epsilon-greedy': epsilonGreedy({ memory: 300 }),
};

describe.each(Object.entries(policies))('%s', (name, policy) => {
  it('has its name', () => expect(policy.name).toBe(name));

  it('finds the best of three candidates', () => {
    // The mean loss is 0.1 if the second candidate is always asked, and 0.37 if candidates are
    // drawn with equal probabilities.
    expect(simulated(policy, 800, () => [0.5, 0.1, 0.5])).toBeLessThan(0.25);
  });

  it('stops asking a candidate that fails, and asks it again later', () => {
    const chances = (round: number) => (round >= 600 && round < 1200 ? [0.9, 0.3] : [0.05, 0.3]);
    // The mean loss is 0.33 if the first candidate is always asked, and 0.3 for the second.
    expect(simulated(policy, 2400, chances)).toBeLessThan(0.24);
  });

  it('has a state that JSON can represent, and does not change the old state', () => {
    const state = policy.init(['a', 'b']);
    const before = JSON.stringify(state);
    const next = policy.observe(state, { losses: { a: 0.5, b: 1 }, probabilities: { a: 1, b: 1 } });
    expect(JSON.stringify(state)).toBe(before);
    expect(JSON.parse(JSON.stringify(next))).toEqual(next);
  });

  it('lets a new context with other losses learn quickly, and starts it with the best candidate', () => {
    // Candidate b is bad in all other contexts, and the best one in a new context.
    let shared = policy.init(['a', 'b', 'c']);
    const probabilities = { a: 1 / 3, b: 1 / 3, c: 1 / 3 };
    for (let round = 0; round < 3000; round++)
      for (const [name, loss] of [
        ['a', 0.1],
        ['b', 0.9],
        ['c', 0.9],
      ] as const)
        shared = policy.observe(shared, { losses: { [name]: loss }, probabilities });
    let own = policy.inherit!(shared);
    const random = drawing(3);
    const chances = (state: typeof own) => policy.select(state, { candidates: ['a', 'b', 'c'], random }).probabilities;
    const weights = policy.weights?.(own, ['a', 'b', 'c']) ?? chances(own);
    expect(weights.a).toBe(Math.max(...Object.values(weights)));
    for (let round = 0; round < 60; round++)
      for (const [name, loss] of [
        ['a', 1],
        ['b', 0],
        ['c', 1],
      ] as const)
        own = policy.observe(own, { losses: { [name]: loss }, probabilities });
    const learned = policy.weights?.(own, ['a', 'b', 'c']) ?? chances(own);
    expect(learned.b).toBeGreaterThan(0.5);
  });

  it('selects from one candidate, and from a new candidate', () => {
    const state = policy.init(['a', 'b']);
    const random = () => 0.999999;
    expect(policy.select(state, { candidates: ['a'], random }).ask).toEqual(['a']);
    const { probabilities } = policy.select(state, { candidates: ['a', 'b', 'new'], random });
    expect(Object.keys(probabilities)).toEqual(['a', 'b', 'new']);
    const observed = policy.observe(state, { losses: { new: 0.5 }, probabilities: { new: 0.5 } });
    expect(policy.select(observed, { candidates: ['new', 'b'], random }).ask.length).toBeGreaterThan(0);
  });
});

describe('weights', () => {
  it('stay finite and sum to 1 after many losses', () => {
    const policy = exp4({ eta: 1, share: 0 });
    let state = policy.init(['a', 'b']);
    for (let round = 0; round < 20_000; round++)
      state = policy.observe(state, { losses: { a: 1, b: 0 }, probabilities: {} });
    expect(policy.weights?.(state, ['a', 'b'])).toEqual({ a: 0, b: 1 });
    expect(Object.values(state).every(Number.isFinite)).toBe(true);
    for (let round = 0; round < 20_010; round++)
      state = policy.observe(state, { losses: { a: 0, b: 1 }, probabilities: {} });
    expect(policy.weights?.(state, ['a', 'b'])?.a).toBeGreaterThan(0.99);
  });

  it('follow exp(-eta x loss / probability), then share', () => {
    const policy = exp3({ eta: 0.5, explore: 0, share: 0.1 });
    const state = policy.observe(policy.init(['a', 'b']), { losses: { a: 0.8 }, probabilities: { a: 0.5, b: 0.5 } });
    const [a, b] = [0.5 * Math.exp((-0.5 * 0.8) / 0.5), 0.5];
    const weights = policy.weights?.(state, ['a', 'b']);
    expect(weights?.a).toBeCloseTo(0.9 * (a / (a + b)) + 0.05, 12);
    expect(weights?.b).toBeCloseTo(0.9 * (b / (a + b)) + 0.05, 12);
  });
});

describe('thompson', () => {
  it('computes the chance to be best', () => {
    expect(
      chancesToBeBest([
        { count: 0, loss: 0 },
        { count: 0, loss: 0 },
      ]),
    ).toEqual([expect.closeTo(0.5, 9), expect.closeTo(0.5, 9)]);
    // For Beta(1, 2) against Beta(1, 1): the integral of 2 (1 - x) (1 - x) is 2 / 3.
    const [first] = chancesToBeBest([
      { count: 1, loss: 0 },
      { count: 0, loss: 0 },
    ]);
    expect(first).toBeCloseTo(2 / 3, 6);
  });
});

describe('lin-ucb', () => {
  it('learns which candidate is right for which rows', () => {
    const features = (round: number) => [1, round % 2];
    const chances = (round: number) => (round % 2 === 0 ? [0.05, 0.9] : [0.9, 0.05]);
    expect(simulated(linUcb(), 500, chances, features)).toBeLessThan(0.1);
  });

  it('keeps the inverse of its matrix', () => {
    const policy = linUcb();
    const x = [1, 2];
    const state = policy.observe({}, { losses: { a: 0.25 }, probabilities: {}, features: x });
    // (I + x xᵀ)⁻¹ with x xᵀ = [[1, 2], [2, 4]].
    const expected = [5 / 6, -2 / 6, -2 / 6, 2 / 6];
    state.a!.inverse.forEach((value, at) => {
      expect(value).toBeCloseTo(expected[at]!, 12);
    });
    expect(state.a!.rewards).toEqual([0.75, 1.5]);
  });

  it.each([[undefined], [[]], [[1, Number.NaN]], ['12']])('rejects the features %j', (features) => {
    const request = { candidates: ['a'], random: () => 0, features: features as never };
    expect(() => linUcb().select({}, request)).toThrow(expect.objectContaining({ code: 'ERR_SELECTION_FEATURES' }));
  });

  it('rejects another number of features', () => {
    const policy = linUcb();
    const state = policy.observe({}, { losses: { a: 0 }, probabilities: {}, features: [1, 2] });
    const select = () => policy.select(state, { candidates: ['a'], random: () => 0, features: [1] });
    expect(select).toThrow('expected a list of 2 finite numbers');
  });
});

describe('options', () => {
  it.each([
    [() => exp3({ eta: -1 }), 'expected eta from 0 to 100 at exp3, received -1'],
    [() => exp4({ share: 2 }), 'expected share from 0 to 1 at exp4, received 2'],
    [() => thompson({ memory: 1e9 }), 'expected memory from 1 to 2000 at thompson, received 1000000000'],
    [() => epsilonGreedy({ epsilon: Number.NaN }), 'expected epsilon from 0 to 1 at epsilonGreedy, received NaN'],
    [() => ucb1({ bonus: '2' as never }), 'expected bonus from 0 to 1000000 at ucb1, received 2'],
    [() => linUcb({ alpha: -0.1 }), 'expected alpha from 0 to 1000000 at linUcb, received -0.1'],
  ])('out of range are refused', (make, message) => {
    expect(make).toThrow(message);
  });
});
