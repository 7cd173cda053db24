import { describe, expect, it } from 'vitest';
import { goalRows, goals, parseRun } from '../report/goals.mjs';

const about = { kind: 'machine', cpu: 'a cpu', cores: 2, isa: 'avx2', commit: 'abc', date: '2026-01-02', quick: false };
const memory = {
  bench: 'fig8-memory',
  kind: 'comparison',
  goal: 'G8',
  part: 'sa natural',
  what: 'memory of 250 SA',
  unit: 'MiB',
  ours: 10,
  theirs: 800,
  ratio: 80,
};
const rowOf = (runs: Parameters<typeof goalRows>[0], goal: string, part: string) =>
  goalRows(runs).find((row) => row.goal === goal && row.part.includes(part))!;

it('has a row for every goal, also without measurements', () => {
  const rows = goalRows([]);
  const numbers = Array.from({ length: 25 }, (_, index) => index + 1).filter((number) => number !== 19);
  expect(new Set(rows.map(({ goal }) => goal))).toEqual(new Set(numbers.map((number) => `G${number}`)));
  for (const row of rows) {
    const why = row.command === '' ? 'no experiment exists yet' : 'no record';
    expect(row).toMatchObject({ measured: null, met: null, note: `not measured: ${why}` });
    expect(row.target).toMatch(/^[≥≤] [\d.]+/);
    expect(row.command).toMatch(/^(npm run bench(:paper)? -- [\w-]+)?$/);
  }
});

describe('a goal', () => {
  it('is met at its target, and not below it', () => {
    expect(rowOf([{ about, records: [memory] }], 'G8', '250 SA, natural')).toEqual({
      goal: 'G8',
      part: 'memory of 250 SA, natural',
      target: '≥ 70x',
      measured: 80,
      unit: 'x',
      met: true,
      command: 'npm run bench:paper -- fig8-memory',
      note: 'memory of 250 SA: 10 against 800 MiB; a cpu, 2 cores, kernels avx2, commit abc, 2026-01-02',
    });
    expect(rowOf([{ about, records: [{ ...memory, ratio: 69.9 }] }], 'G8', '250 SA, natural').met).toBe(false);
  });

  it('with an upper bound is met below the bound', () => {
    const stall = (measured: number) => [
      { about, records: [{ bench: 'stall', kind: 'goal', goal: 'G12', part: 'sa', measured, unit: 'ms', note: 'n' }] },
    ];
    expect(rowOf(stall(0.9), 'G12', 'SA')).toMatchObject({ measured: 0.9, met: true, target: '≤ 1 ms' });
    expect(rowOf(stall(1.1), 'G12', 'SA').met).toBe(false);
  });

  it('reads measured records only', () => {
    const measured = { bench: 'fig13-heavy', kind: 'goal', goal: 'G17', measured: 5, unit: 'times', note: 'n' };
    const said = {
      bench: 'fig13-heavy',
      kind: 'binds',
      goal: 'G17',
      part: 'p99 of a reserved plan, under load / idle',
    };
    const row = rowOf([{ about, records: [measured, { ...said, text: 'two cores' }] }], 'G17', 'reserved');
    expect(row).toMatchObject({ measured: 5, met: false, note: expect.stringContaining('limit: two cores') });
  });

  describe('that is missed has the reason of its run', () => {
    const missed = { ...memory, ratio: 60 };
    const why = (text: string, more = {}) => ({
      kind: 'binds',
      bench: 'fig8-memory',
      goal: 'G8',
      part: 'memory of 250 SA, natural',
      text,
      ...more,
    });
    const noteOf = (...records: Parameters<typeof goalRows>[0][0]['records']) =>
      rowOf([{ about, records }], 'G8', '250 SA, natural').note;

    it('the last of them', () => {
      expect(noteOf(missed, why('first'), why('weights take 700 MiB'))).toContain(
        '; limit: weights take 700 MiB; a cpu',
      );
    });
    it('and no other part, benchmark or run', () => {
      expect(noteOf(missed, why('x', { part: 'memory of 250 AC, natural' }))).toContain('limit: not recorded;');
      expect(noteOf(missed, why('x', { bench: 'memory' }))).toContain('limit: not recorded;');
      const runs = [
        { about, records: [missed] },
        { about, records: [{ ...why('x'), bench: 'stall' }] },
      ];
      expect(rowOf(runs, 'G8', '250 SA, natural').note).toContain('limit: no reason in this run');
    });
    it('a met goal has no reason', () => {
      expect(noteOf(memory, why('x'))).not.toContain('limit');
    });
  });

  it('takes the last of several records', () => {
    const runs = [
      { about, records: [memory] },
      { about: { ...about, commit: 'def' }, records: [{ ...memory, ratio: 60 }] },
    ];
    expect(rowOf(runs, 'G8', '250 SA, natural')).toMatchObject({ measured: 60, met: false });
  });

  it('ignores smoke runs', () => {
    for (const smoke of [{ quick: true }, { scale: 0.5 }]) {
      const row = rowOf([{ about: { ...about, ...smoke }, records: [memory] }], 'G8', '250 SA, natural');
      expect(row).toMatchObject({
        measured: null,
        met: null,
        note: 'not measured: only a smoke run, which does not count',
      });
    }
  });

  it('says why it was not measured', () => {
    const missing = {
      bench: 'fig10-materialization',
      kind: 'missing',
      what: 'materialization (G18)',
      why: 'no such option',
    };
    expect(rowOf([{ about, records: [missing] }], 'G18', 'same text').note).toBe('not measured: no such option');
    const nothing = { ...memory, ratio: null };
    expect(rowOf([{ about, records: [nothing] }], 'G8', '250 SA, natural')).toMatchObject({
      measured: null,
      met: null,
    });
  });
});

it('finds its records in the committed results', async () => {
  const { readFileSync } = await import('node:fs');
  const run = parseRun(readFileSync(new URL('../results/macro.jsonl', import.meta.url), 'utf8'));
  const measured = goalRows([run]).filter((row) => row.measured !== null);
  const names = measured.map(({ goal, part }) => `${goal} ${part}`);
  const wanted = [
    'G1 SA single, 1M, natural',
    'G2 SA single, 1M, expert',
    'G7 p99 of SA single, natural',
    'G13 JavaScript, SA 1M, expert',
    'G13 JavaScript, SA 1M, code with Maps',
    'G21 import, plan, register: first SA 100k, natural',
    'G22 forest of 300 trees single, Yggdrasil',
  ];
  expect(names).toEqual(expect.arrayContaining(wanted));
});

it('rejects a file without its machine', () => {
  expect(() => parseRun('{"kind":"note","text":"x"}')).toThrow(
    'expected a record of kind machine first, received note',
  );
});

it('has unique parts', () => {
  const names = goals.map(({ goal, part }) => `${goal} ${part}`);
  expect(new Set(names).size).toBe(names.length);
});
