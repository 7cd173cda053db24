import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { seed } from '../../packages/brezel/test/conformance/seed.js';
import { againstBase, againstRival, markdown, type Trial } from '../ci/verdicts.mjs';
import { openLoop, poissonArrivals } from '../harness/loops.mjs';
import { finished, planned, unitName, units, unitsOf, whole } from '../harness/plan.mjs';
import { trialsWithin } from '../harness/processes.mjs';
import { randomOf, zipf } from '../models/random.mjs';
import { goals } from '../report/goals.mjs';

const machine = { kind: 'machine', build: 'b', scale: 1 };
const record = (bench: string, of: string | undefined, kind = 'point') => ({ kind, bench, ...(of && { of }) });

describe('the plan of a whole run', () => {
  const paper = units.filter(({ suite }) => suite === 'paper');

  it('names experiments that exist', async () => {
    for (const { name, module } of units) {
      const file = new URL(`../experiments/${module}.mjs`, import.meta.url);
      expect(existsSync(file), name).toBe(true);
      const { experiments } = await import(file.href);
      expect(Object.keys(experiments), module).toContain(name);
    }
  });

  it('of the paper fits into 45 minutes', () => {
    expect(new Set(units.map(unitName)).size).toBe(units.length);
    expect(paper.reduce((sum, { minutes }) => sum + minutes, 0)).toBeLessThanOrEqual(40);
  });

  it('finds whole experiments and parts by name', () => {
    expect(unitsOf('fig8-memory').map(unitName)).toEqual(['fig8-memory:sa', 'fig8-memory:ac']);
    expect(unitsOf('fig8-memory:ac').map(unitName)).toEqual(['fig8-memory:ac']);
    expect(unitsOf('fig8')).toEqual([]);
    for (const { bench } of goals) if (bench !== undefined) expect(unitsOf(bench), bench).not.toEqual([]);
  });

  it('selects the experiments that fit into the time', () => {
    const { now, later } = planned([], { minutes: 5 });
    expect(now.reduce((sum, { minutes }) => sum + minutes, 0)).toBeLessThanOrEqual(5);
    expect([...now, ...later]).toEqual(expect.arrayContaining([...paper]));
    expect(now[0]).toBe(paper[0]);
  });

  it('continues an interrupted run: finished units stay, the records of others are dropped', () => {
    const records = [
      machine,
      record('stall', 'sa'),
      record('stall', 'sa', 'done'),
      record('stall', 'ac'),
      record('events', undefined),
      record('events', undefined, 'done'),
      record('fig14-http-heavy', undefined),
    ];
    expect(finished(records).map(unitName).sort()).toEqual(['events', 'stall:sa']);
    expect(whole(records)).toEqual([records[0], records[1], records[2], records[4], records[5]]);
    const { now } = planned(['stall', 'events'], { done: finished(records) });
    expect(now.map(unitName)).toEqual(['stall:ac']);
  });
});

describe('trials within a budget', () => {
  /** Counts trials with a clock that advances by `seconds` for each trial. */
  async function count(seconds: number, budget: { seconds: number; least?: number; most: number }) {
    let now = 0;
    const answers = await trialsWithin({ ...budget, now: () => now }, async (trial) => {
      now += seconds * 1000;
      return trial;
    });
    expect(answers).toEqual([...answers.keys()]);
    return answers.length;
  }

  it('are as many as fit, and at least one', async () => {
    expect(await count(1, { seconds: 100, most: 3 })).toBe(3);
    expect(await count(10, { seconds: 25, most: 5 })).toBe(2);
    expect(await count(30, { seconds: 25, most: 5 })).toBe(1);
    expect(await count(30, { seconds: 25, least: 2, most: 5 })).toBe(2);
  });
});

/** A clock that only the load generator and its requests advance, so that results are exact. */
function clockOf() {
  let time = 0;
  return {
    now: () => time,
    pause: async (ms: number) => {
      time += Math.max(ms, 0.001);
    },
    spend: (ms: number) => {
      time += ms;
    },
  };
}

const every = (ms: number, count: number) => Float64Array.from({ length: count }, (_, at) => (at + 1) * ms);

describe('the load generator', () => {
  it('counts latency from the due time: a stalled server delays later requests', async () => {
    const clock = clockOf();
    const slow = 3;
    const { latencies, lateness } = await openLoop(every(10, 10), (at) => clock.spend(at === slow ? 45 : 1), { clock });
    const wanted = [1, 1, 1, 45, 36, 27, 18, 9, 1, 1];
    wanted.forEach((ms, at) => expect(latencies[at]).toBeCloseTo(ms, 1));
    // A client that waits for each answer would not see this lateness.
    expect(lateness[slow + 1]).toBeCloseTo(35, 1);
  });

  it('counts failures, thrown or rejected', async () => {
    const clock = clockOf();
    const answers = [() => 1, () => Promise.reject(new Error('refused')), () => Promise.resolve(1)];
    const send = (at: number) => {
      if (at === 3) throw new Error('thrown');
      return answers[at]!();
    };
    const { failed, unanswered, latencies } = await openLoop(every(1, 4), send, { clock });
    expect({ failed, unanswered }).toEqual({ failed: 2, unanswered: 0 });
    expect(latencies.every((ms) => ms >= 0)).toBe(true);
  });

  it('counts requests without an answer, with their waiting time', async () => {
    const clock = clockOf();
    const send = (at: number) => (at === 1 ? new Promise(() => {}) : undefined);
    const { unanswered, latencies, elapsedMs } = await openLoop(every(10, 3), send, { clock, drainMs: 100 });
    expect(unanswered).toBe(1);
    expect(latencies[1]).toBeGreaterThanOrEqual(100);
    expect(elapsedMs).toBeGreaterThanOrEqual(130);
  });

  it('draws arrivals of the given rate, in order', () => {
    const arrivals = poissonArrivals(randomOf(seed), 1000, 20);
    expect(arrivals.length).toBeGreaterThan(19_000);
    expect(arrivals.length).toBeLessThan(21_000);
    expect(arrivals.every((at, index) => index === 0 || at >= arrivals[index - 1]!)).toBe(true);
    const gaps = arrivals.subarray(1).map((at, index) => at - arrivals[index]!);
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
    // the deviation of exponential gaps equals their mean
    expect(deviation / mean).toBeGreaterThan(0.9);
    expect(deviation / mean).toBeLessThan(1.1);
  });

  it('draws models by the power law of the paper', () => {
    const pick = zipf(randomOf(seed), 250, { exponent: 2, shift: 1 });
    const counts = new Float64Array(250);
    for (let draw = 0; draw < 20_000; draw++) counts[pick()]! += 1;
    expect(counts[0]! / 20_000).toBeCloseTo(6 / Math.PI ** 2, 1); // 1 / zeta(2)
    expect(counts[0]! / counts[1]!).toBeGreaterThan(3.5);
    expect(counts[0]! / counts[1]!).toBeLessThan(4.6);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20_000);
  });
});

describe('the verdicts of bench:ci', () => {
  /**
   * Returns trials in which every call takes `level` µs in base and `factor` times as long in head.
   * The speed of the machine drifts by 2x from round to round.
   */
  function trials(factor: (what: string) => number, noise = (_trial: number) => 1): Trial[] {
    const calls = { 'SA single': 5, 'forest single': 2, 'forest batch': 200, 'SA load': 20_000 };
    return Array.from({ length: 8 }, (_, trial) => {
      const rounds = (micros: number) => Array.from({ length: 12 }, (_, round) => micros * (1 + (round % 3) / 2));
      const times = Object.entries(calls).flatMap(([what, micros]) => [
        [`head ${what}`, rounds(micros * factor(what) * noise(trial))],
        [`base ${what}`, rounds(micros)],
        [`rival ${what}`, rounds(micros * 12 * noise(trial + 1))],
      ]);
      return { times: Object.fromEntries(times), bytes: { head: { '8 SA': 1000 }, base: { '8 SA': 1000 } } };
    });
  }

  const THRESHOLD = 0.1;
  const verdicts = (seen: Trial[]) =>
    Object.fromEntries(againstBase(seen, THRESHOLD).map(({ what, verdict }) => [what, verdict]));
  /** Returns the speed of the process of a trial. The speeds differ by 10 % or more. */
  const noisy = (trial: number) => [1.1, 0.9, 1.05, 0.95, 1.2, 0.85, 1, 1][trial % 8]!;

  it('a call that takes a third longer is a regression, and other calls are not', () => {
    expect(verdicts(trials((what) => (what === 'forest single' ? 1.33 : 1)))).toEqual({
      'SA single': 'same',
      'forest single': 'regressed',
      'forest batch': 'same',
      'SA load': 'same',
      'parameters of 8 SA': 'same',
    });
  });

  it('an increase within the limit is reported, without failing', () => {
    const [first] = againstBase(
      trials(() => 1.05),
      THRESHOLD,
    );
    expect(first).toMatchObject({ verdict: 'slower', isBad: false });
  });

  it('if processes differ more than the builds, there is no regression', () => {
    expect(new Set(Object.values(verdicts(trials(() => 1.12, noisy))))).toEqual(new Set(['same']));
  });

  it('twice the time is a regression, also on a noisy machine', () => {
    expect(verdicts(trials(() => 2, noisy))['SA load']).toBe('regressed');
  });

  it('bytes of parameters need no statistics', () => {
    const seen = trials(() => 1);
    seen[0]!.bytes.head!['8 SA'] = 1101;
    expect(verdicts(seen)['parameters of 8 SA']).toBe('regressed');
  });

  it('the rival: only a broken build is below the floor', () => {
    expect(againstRival(trials(() => 1)).every(({ isBad }) => !isBad)).toBe(true);
    const slow = againstRival(trials(() => 4, noisy));
    expect(slow.map(({ what, isBad }) => [what, isBad])).toEqual([
      ['SA single', true],
      ['forest single', false],
      ['forest batch', false],
    ]);
  });

  it('the summary names the regressions', () => {
    const seen = trials((what) => (what === 'SA load' ? 1.5 : 1));
    const text = markdown({
      head: 'working tree',
      base: 'abc',
      threshold: THRESHOLD,
      trials: seen.length,
      machine: 'a machine',
      versus: againstBase(seen, THRESHOLD),
      rival: againstRival(seen),
    });
    expect(text).toContain('### Benchmarks: 1 workloads regressed');
    expect(text).toContain('| SA load | 45000 µs | 1.50x (1.50-1.50) | **regressed** |');
    expect(text).toContain('| forest batch | 3600 µs | 12.0x (12.0-12.0) | fine |');
  });
});
