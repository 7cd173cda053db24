import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { trialsWithin } from '../lib/budget.mjs';
import { goals } from '../lib/goal-list.mjs';
import { finished, planned, unitName, units, unitsOf, whole } from '../lib/paper-plan.mjs';

const machine = { kind: 'machine', build: 'b', scale: 1 };
const record = (bench: string, of: string | undefined, kind = 'point') => ({ kind, bench, ...(of && { of }) });

describe('the plan of a whole run', () => {
  const experiments = readdirSync(new URL('../paper', import.meta.url)).map((file) => file.replace('.mjs', ''));

  it('has every experiment, and fits into 45 minutes', () => {
    expect(new Set(units.map(({ name }) => name))).toEqual(new Set(experiments));
    expect(new Set(units.map(unitName)).size).toBe(units.length);
    expect(units.reduce((sum, { minutes }) => sum + minutes, 0)).toBeLessThanOrEqual(40);
  });

  it('knows whole experiments and parts by name', () => {
    expect(unitsOf('fig8-memory').map(unitName)).toEqual(['fig8-memory:sa', 'fig8-memory:ac']);
    expect(unitsOf('fig8-memory:ac').map(unitName)).toEqual(['fig8-memory:ac']);
    expect(unitsOf('fig8')).toEqual([]);
    for (const { bench } of goals.filter(({ bench }) => experiments.includes(bench)))
      expect(unitsOf(bench)).not.toEqual([]);
  });

  it('puts off what the time is too short for, and still takes what fits', () => {
    const { now, later } = planned([], { minutes: 5 });
    expect(now.reduce((sum, { minutes }) => sum + minutes, 0)).toBeLessThanOrEqual(5);
    expect([...now, ...later]).toHaveLength(units.length);
    expect(now[0]).toBe(units[0]);
  });

  it('goes on with what is missing: what came to its end stays, the records of others are dropped', () => {
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
  /** A clock that goes on by `seconds` a trial. */
  async function count(seconds: number, budget: { seconds: number; least?: number; most: number }) {
    let now = 0;
    const answers = await trialsWithin({ ...budget, now: () => now }, async (trial) => {
      now += seconds * 1000;
      return trial;
    });
    expect(answers).toEqual([...answers.keys()]);
    return answers.length;
  }

  it('are as many as wanted where there is time, else as many as fit, and one at least', async () => {
    expect(await count(1, { seconds: 100, most: 3 })).toBe(3);
    expect(await count(10, { seconds: 25, most: 5 })).toBe(2);
    expect(await count(30, { seconds: 25, most: 5 })).toBe(1);
    expect(await count(30, { seconds: 25, least: 2, most: 5 })).toBe(2);
  });
});
