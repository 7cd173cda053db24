import { describe, expect, it } from 'vitest';
import {
  createSelection,
  epsilonGreedy,
  exp3,
  exp4,
  type Json,
  replayFeedback,
  type SelectionPolicy,
  ucb1,
} from '../dist/index.js';
import { drawing } from './drawing.js';

/** A policy that never learns, and asks with fixed probabilities. */
const fixed = (probabilities: Readonly<Record<string, number>>): SelectionPolicy => ({
  name: 'fixed',
  init: () => null,
  select: (_state, { random }) => {
    const names = Object.keys(probabilities);
    const draw = random();
    let sum = 0;
    const drawn = names.find((name) => {
      sum += probabilities[name]!;
      return draw < sum;
    });
    return { ask: [drawn!], probabilities };
  },
  combine: (_state, { asked, join }) => join({ [asked[0]!]: 1 }),
  observe: (state) => state,
});

/** A log of `count` queries, where `losses` are the chances of a, b and c to lose. */
function log(policy: SelectionPolicy, count: number, losses: readonly number[], seed = 3): string[] {
  const random = drawing(seed);
  const names = ['a', 'b', 'c'];
  let state: Json = policy.init(names);
  const lines: string[] = [];
  for (let query = 0; query < count; query++) {
    const { ask, probabilities } = policy.select(state, { candidates: names, random });
    const lost = Object.fromEntries(names.map((name, at) => [name, random() < losses[at]! ? 1 : 0]));
    const own = Object.fromEntries(ask.map((name) => [name, lost[name]!]));
    const votes = Object.fromEntries(ask.map((name) => [name, lost[name] === 0]));
    lines.push(JSON.stringify({ kind: 'prediction', query: `${query}`, probabilities, votes }));
    lines.push(JSON.stringify({ kind: 'feedback', query: `${query}`, losses: own, loss: own[ask[0]!] }));
    state = policy.observe(state, { losses: own, probabilities });
  }
  return lines;
}

describe('replayFeedback', () => {
  it('estimates the loss of fixed policies from the log of another policy', async () => {
    const lines = log(fixed({ a: 0.2, b: 0.3, c: 0.5 }), 20_000, [0.1, 0.4, 0.7]);
    const policies = { a: fixed({ a: 1 }), even: fixed({ a: 1 / 3, b: 1 / 3, c: 1 / 3 }) };
    const report = await replayFeedback(lines, { policies, random: drawing(1) });
    expect(report.events).toBe(20_000);
    expect(report.logged.loss).toBeCloseTo(0.2 * 0.1 + 0.3 * 0.4 + 0.5 * 0.7, 1);
    const truths = { a: 0.1, even: 0.4 };
    for (const { name, ips, snips, dr } of report.policies)
      for (const estimate of [ips, snips, dr]) {
        const truth = truths[name as keyof typeof truths];
        // For 5 of 100 seeds, the truth is outside the 95 % interval. The bound is three times as
        // wide, and held for every seed that was tried.
        const width = estimate.high - estimate.low;
        expect(Math.abs(estimate.loss - truth)).toBeLessThan(1.5 * width);
        expect(width).toBeLessThan(0.05);
      }
    // The doubly robust interval is the narrowest for a policy that differs from the log.
    const [a] = report.policies;
    expect(a!.dr.high - a!.dr.low).toBeLessThan(a!.ips.high - a!.ips.low);
  });

  it('covers the truth in about 95 of 100 logs', async () => {
    let covered = 0;
    for (let seed = 0; seed < 100; seed++) {
      const lines = log(fixed({ a: 0.2, b: 0.3, c: 0.5 }), 400, [0.1, 0.4, 0.7], seed);
      const { policies } = await replayFeedback(lines, { policies: { b: fixed({ b: 1 }) }, random: drawing(seed) });
      const { low, high } = policies[0]!.dr;
      if (low <= 0.4 && 0.4 <= high) covered++;
    }
    expect(covered).toBeGreaterThanOrEqual(88);
  });

  it('replays a log of an ensemble exactly, also for policies that learn', async () => {
    const lines = log(exp4(), 3000, [0.1, 0.4, 0.4]);
    const policies = {
      exp3: exp3(),
      exp4: exp4(),
      ucb1: ucb1(),
    };
    const report = await replayFeedback(lines, { policies, random: drawing(2) });
    expect(report.policies.map(({ name, learned }) => [name, learned])).toEqual([
      ['exp3', 3000],
      ['exp4', 3000],
      ['ucb1', 3000],
    ]);
    for (const { ips, snips, dr } of report.policies) {
      expect(ips.loss).toBeLessThan(0.2);
      expect(snips.loss).toBeCloseTo(ips.loss, 12);
      expect(dr).toEqual(ips);
    }
  });

  it('replays contexts as the selection learned them', async () => {
    const lines: string[] = [];
    const random = drawing(11);
    const policy = exp4({ eta: 0.5 });
    // Candidate a is right in most contexts, and b in context 2.
    const app = createSelection<number, number, number>({
      candidates: { a: (row) => row % 10, b: (row) => (row + 3) % 10, c: () => 0 },
      policy,
      loss: (truth, answer) => (truth === answer ? 0 : 1),
      log: { write: (line: string) => lines.push(line) },
    });
    for (let query = 0; query < 600; query++) {
      const [row, context] = [Math.floor(random() * 100), query < 400 ? query % 2 : 2];
      const chosen = await app.predict(row, { context });
      await app.feedback(chosen.query, context === 2 ? (row + 3) % 10 : row % 10);
    }
    const report = await replayFeedback(lines, { policies: { exp4: policy }, random });
    expect(report.policies[0]!.ips.loss).toBeCloseTo(app.stats().loss, 12);
    expect(app.stats().totalLoss).toBeLessThan(20);
  });

  it('lets policies learn from the events of a log with one candidate per query', async () => {
    const lines = log(epsilonGreedy({ epsilon: 1 }), 6000, [0.1, 0.6, 0.6]);
    const report = await replayFeedback(lines, { policies: { exp3: exp3() }, random: drawing(2) });
    const [{ learned, dr }] = report.policies as [(typeof report.policies)[0]];
    expect(learned).toBeGreaterThan(1000);
    // The mean loss is 0.43 if candidates are drawn with equal probabilities. The policy learns
    // that a is best.
    expect(dr.loss).toBeLessThan(0.25);
  });

  it.each([
    [['{'], 'expected a line of JSON at line 1, received {'],
    [['', '{"kind":"other","query":"1"}'], 'expected a prediction or feedback at line 2'],
    [['{"kind":"prediction","query":"1"}'], 'expected a prediction with probabilities at line 1'],
    [['{"kind":"prediction","query":"1","probabilities":{},"votes":null}'], 'expected a prediction with probabilities'],
    [['{"kind":"prediction","query":"1","probabilities":{}}'], 'expected a prediction with feedback, received none'],
    [
      [
        '{"kind":"prediction","query":"1","probabilities":{"a":0}}',
        '{"kind":"feedback","query":"1","losses":{"a":1},"loss":1}',
      ],
      'expected a probability of "a" above 0 and at most 1 at line 2, received 0',
    ],
  ])('rejects the lines %j', async (lines, message) => {
    const replaying = replayFeedback(lines, { policies: {} });
    await expect(replaying).rejects.toMatchObject({
      code: 'ERR_SELECTION_LOG',
      message: expect.stringContaining(message),
    });
  });

  it('reads a log with more events than a function call can have arguments', async () => {
    const lines = Array.from({ length: 300_000 }, (_, line) => {
      const query = `"query":"${line >> 1}"`;
      return line % 2 === 0
        ? `{${query},"kind":"prediction","probabilities":{"a":1}}`
        : `{${query},"kind":"feedback","losses":{"a":0},"loss":0}`;
    });
    const { events, policies } = await replayFeedback(lines, { policies: { a: fixed({ a: 1 }) }, random: drawing(1) });
    expect([events, policies[0]!.ips.loss]).toEqual([150_000, 0]);
  });

  it('reads the lines of one selection', async () => {
    const named = (selection: string, losses: readonly number[]) =>
      log(exp3(), 50, losses).map((line) =>
        JSON.stringify({ ...JSON.parse(line), selection, query: `${selection}${JSON.parse(line).query}` }),
      );
    const lines = [...named('one', [0, 0, 0]), ...named('two', [1, 1, 1])];
    await expect(replayFeedback(lines, { policies: {} })).rejects.toThrow(
      'expected lines of "one" at line 101, received "two"',
    );
    expect(await replayFeedback(lines, { policies: {}, selection: 'two' })).toMatchObject({
      events: 50,
      logged: { loss: 1 },
    });
  });

  it('rejects an ensemble for a log with one candidate per query', async () => {
    const lines = log(exp3(), 10, [0.1, 0.4, 0.4]);
    const replaying = replayFeedback(lines, { policies: { exp4: exp4() } });
    await expect(replaying).rejects.toThrow('expected the losses of all candidates, which exp4 asks');
  });
});
