import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { finished, planned, unitName, units, unitsOf, whole } from '../harness/plan.mjs';
import { trialsWithin } from '../harness/processes.mjs';
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
