import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { learn, learnedText } from '../report/between-runs.mjs';
import { claimsChart } from '../report/claims-chart.mjs';
import { clipperPage } from '../report/clipper.mjs';
import { clipperChart } from '../report/clipper-chart.mjs';
import { goals as allGoals, goalRows, parseRun } from '../report/goals.mjs';
import { claimNotes, claimsTable } from '../report/markdown.mjs';
import { summaryTable } from '../report/summary-table.mjs';

// Tests the report from the records of some experiments, as `npm run bench:report` writes it.

type Run = Parameters<typeof learn>[0];
const script = fileURLToPath(new URL('../report.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'brezel-report-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const lines = (records: object[]) => `${records.map((one) => JSON.stringify(one)).join('\n')}\n\n`;
const report = (...args: string[]) =>
  spawnSync(process.execPath, [script, ...args, '--out', folder], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });

const machine = {
  kind: 'machine',
  quick: false,
  cpu: 'a processor',
  cores: 2,
  memoryGiB: 8,
  platform: 'linux-x64',
  node: 'v20.0.0',
  isa: 'avx2',
  rival: 'onnxruntime-node 1.0.0',
  commit: 'abc',
  date: '2026-01-01',
};
const point = (figure: string, series: string, x: string | number, unit: string, median: number, more = {}) => ({
  bench: figure,
  kind: 'point',
  figure,
  series,
  x,
  unit,
  median,
  ...more,
});
const records = [
  machine,
  point('fig8', 'brezel, fleet file', '250 SA memory', 'MiB', 1000),
  point('fig8', 'onnxruntime natural', '250 SA memory', 'MiB', 75_000),
  ...[100, 200, 400].flatMap((rate) =>
    ['brezel', 'onnxruntime'].map((series, at) =>
      point('fig14-latency', series, rate, 'ms', rate / 100 + at, { xUnit: 'requests/s', p99: rate / 10 }),
    ),
  ),
  ...Array.from({ length: 50 }, (_, at) => point('fig10', 'speedup a pipeline', at, 'times', 1 + at / 50)),
  {
    bench: 'fig8-memory',
    kind: 'comparison',
    goal: 'G8',
    figure: 'fig8',
    what: 'memory of 250 SA | a',
    rival: 'natural graph',
    unit: 'MiB',
    ours: 1000,
    theirs: 75_000,
    ratio: 75,
    min: 70,
    max: 80,
    target: 70,
  },
  { bench: 'fig13-heavy', kind: 'missing', what: 'Figure 13', why: 'one core & no more' },
];
const goals = [
  {
    goal: 'G1',
    part: 'one',
    target: '≥ 150x',
    measured: 171.2,
    unit: 'x',
    met: true,
    command: 'npm run bench',
    note: '',
  },
  {
    goal: 'G12',
    part: 'first part',
    target: '≤ 1 ms',
    measured: 1.4,
    unit: 'ms',
    met: false,
    command: 'npm run bench',
    note: 'GC "binds"',
  },
  { goal: 'G16', part: 'SA', target: '≥ 1.9x', measured: null, unit: 'x', met: null, command: 'npm run bench' },
];

let text = '';
beforeAll(() => {
  const made = report(file('some.jsonl', lines(records)), '--goals', file('goals.json', JSON.stringify(goals)));
  expect(made).toMatchObject({ status: 0, stderr: '' });
  text = readFileSync(join(folder, 'report.md'), 'utf8');
});

/** Returns the text below a heading. */
const section = (title: string) => text.slice(text.indexOf(`## ${title}`)).split('\n## ')[0]!;

test('the report names the machine and the ratios of the paper', () => {
  expect(text.replace(/\s+/g, ' ')).toContain('a processor, 2 cores, 8 GiB, linux-x64, Node v20.0.0');
  expect(section('Figure 8')).toContain('- 62.0x: memory of 250 AC pipelines, compared with ML.Net + Clipper');
  expect(section('Figure 8')).toContain('| memory of 250 SA \\| a | exported graph | GiB | 0.977 | 73.2 | 75.0x |');
});

test('a figure without comparisons has one table for each curve', () => {
  expect(section('Figure 14')).toContain(
    [
      'This table shows the median latency of single rows, in ms. The p99 is in parentheses.',
      '',
      '| requests/s | brezel | onnxruntime |',
      '|--:|--:|--:|',
      '| 100 | 1.00 (10.0) | 2.00 (10.0) |',
      '| 200 | 2.00 (20.0) | 3.00 (20.0) |',
      '| 400 | 4.00 (40.0) | 5.00 (40.0) |',
      '',
    ].join('\n'),
  );
  expect(section('Figure 8')).not.toContain('brezel, fleet file');
});

test('missing measurements have their reason', () => {
  for (const title of ['Figure 9', 'Figure 11', 'Figure 12', 'Event loop', 'Process start'])
    expect(section(title)).toContain('These records contain no measurement of this section.');
  expect(section('Figure 8')).not.toContain('Not measured');
  expect(text).toContain('Not measured: Figure 13 (one core & no more).');
});

test('every goal has a row with its result', () => {
  expect(text).toContain('Of 3 parts of goals, 1 are met, 1 are not met and 1 are not measured.');
  expect(text).toContain('| G12 | first part | ≤ 1 ms | 1.40 ms | not met |');
  expect(text).toContain('- **G12 first part**: GC "binds".');
  expect(text).toContain('| G16 | SA | ≥ 1.9x |  | not measured |');
});

const comparison = (goal: string, part: string, ours: number, theirs: number) => ({
  goal,
  part,
  what: '',
  rival: `${part.split(' ').at(-1)} graph`,
  unit: 'MiB',
  ours,
  theirs,
  ratio: theirs / ours,
});

test('the claims of the paper have a row and bars against both graphs', () => {
  const comparisons = [comparison('G8', 'ac natural', 100, 3000), comparison('G8', 'ac expert', 100, 2000)];
  const second = [{ ...comparisons[0]!, ratio: 28.5 }];
  const row =
    '| memory, 250 AC pipelines | MiB | 100 | 3,000 | 30.0x | 28.5x | 2,000 | 20.0x |  | 25x ML.Net, 62x Clipper |';
  expect(claimsTable(comparisons, second).slice(2)).toEqual([row]);
  const picture = claimsChart(comparisons);
  expect(picture).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*>.*<\/svg>\n$/s);
  for (const value of ['30.0x', '20.0x', '25x ML.Net, 62x Clipper']) expect(picture).toContain(`>${value}</text>`);
  // Three bars of the chart, and three of the legend.
  expect(picture.match(/<rect [^>]*class="(natural|expert|paper)"/g)).toHaveLength(3 + 3);
  expect(picture).toContain('prefers-color-scheme: dark');
  // The texts of neighboring bars have 10.5 pixels and do not touch.
  const tops = [...picture.matchAll(/<text x="[\d.]+" y="([\d.]+)" class="value">[\d.]+x/g)].map(([, y]) => Number(y));
  const steps = tops.slice(1).map((top, index) => top - tops[index]!);
  expect(steps.every((step) => step >= 13)).toBe(true);
});

test('a note names each claim whose rival ran less than Brezel', () => {
  const loaded = {
    ...comparison('G8', 'sa natural', 1, 9),
    what: 'memory of 250 SA pipelines (rival, 12 loaded, the others)',
  };
  const batch = { ...comparison('G3', 'batch natural', 9, 1), what: 'SA in batches of 1000 (rival: 100)' };
  expect(
    claimNotes([loaded, batch, comparison('G8', 'ac natural', 1, 9)])
      .join(' ')
      .match(/- [^:]*:/g),
  ).toEqual(['- memory, 250 SA pipelines:', '- batch throughput, SA:']);
});

test('the summary of the README has facts, times in one unit, and footnotes', () => {
  const comparisons = [
    { ...comparison('G8', 'sa natural', 800, 80_000), figure: 'fig8', what: 'memory (rival, 12 loaded, the others)' },
    { ...comparison('G8', 'sa expert', 800, 40_000), figure: 'fig8' },
    { ...comparison('G3', 'batch natural', 800, 8), what: 'batches of 1000 (rival: 100)' },
    comparison('G3', 'batch expert', 800, 80),
  ];
  const second = [
    { ...comparisons[2]!, ratio: 88 },
    { ...comparisons[3]!, ratio: 12 },
  ];
  const facts = [{ what: 'installed size, MiB', ours: '33', theirs: '291' }];
  const run = 'a machine';
  const ofRun = comparisons.map((one) => ({ ...one, run }));
  const table = summaryTable(ofRun, facts, second).split('\n');
  expect(table[2]).toBe('| installed size, MiB | 33 | 291 | 291 |');
  expect(table[3]).toBe('| memory of 250 such pipelines, GiB (1) | 0.781 | 78.1 (100x) | 39.1 (50.0x) |');
  expect(table).toContain('1. onnxruntime-node loaded 12 pipelines; its memory for the other 238 is extrapolated.');
  const batches = 'The exported graph ran in batches of 100 rows. In a second run, the ratios were 88.0x and 12.0x.';
  expect(table).toContain(`2. ${batches}`);
  expect(table.slice(-3)).toEqual(['Machines:', '', '- times: a machine']);
  const ofTwo = comparisons.map((one, index) => ({ ...one, run: index < 2 ? run : 'another machine' }));
  const sizes = facts.map((fact) => ({ ...fact, run: 'a third machine' }));
  expect(summaryTable(ofTwo, sizes).split('\n').slice(-3)).toEqual([
    '- rows (1): a machine',
    '- rows (2): another machine',
    '- installed sizes: a third machine',
  ]);
});

test('a second run is compared with the first', () => {
  const second = [
    machine,
    { ...point('fig8', 'brezel, fleet file', '250 SA memory', 'MiB', 900) },
    { ...records.find(({ kind }) => kind === 'comparison')!, ratio: 81 },
  ];
  const one = file('some.jsonl', lines(records));
  const made = report(one, '--again', file('second.jsonl', lines(second)), '--goals', join(folder, 'none'));
  expect(made).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(join(folder, 'report.md'), 'utf8')).toContain(
    '- G8 memory of 250 SA | a, against exported graph: first run 75.0, expected 70.0-80.0, second run 81.0 x',
  );
  expect(report(one).status).toBe(0);
  expect(readFileSync(join(folder, 'report.md'), 'utf8')).not.toContain('## A second run');
});

test('ranges are widened by the difference of other pairs of runs', () => {
  const ratio = records.find(({ kind }) => kind === 'comparison')!;
  const run = (value: number): Run => ({ about: machine, records: [{ ...ratio, ratio: value }] });
  const [first, second] = [run(75), run(90)];
  const between = file('between.json', learnedText([learn(first, second)]));
  const made = report(
    file('some.jsonl', lines(records)),
    '--again',
    file('second.jsonl', lines([machine, { ...ratio, ratio: 90 }])),
    '--between',
    between,
    '--goals',
    join(folder, 'none'),
  );
  expect(made).toMatchObject({ status: 0, stderr: '' });
  const result = readFileSync(join(folder, 'report.md'), 'utf8');
  // The two learned runs differ by 90 / 75, and exceed their ranges by 90 / 80.
  const [, least, most] = /\| 75\.0x \| {2}\| ([\d.]+)-([\d.]+) \|/.exec(result)!;
  expect(Number(least)).toBeLessThan(70 / 1.2);
  expect(Number(most)).toBeGreaterThan(80 * 1.2);
  expect(result).toMatch(/\| memory \| \d\.\d+ \| 1 \| 1 \| 0 \|/);
  expect(result.replace(/\s+/g, ' ')).toContain('Without these factors, 0 of 1 ratios');
});

test('a smoke run says so; missing files, goals and JSON have clear errors', () => {
  const made = report(
    file('small.jsonl', lines([{ ...machine, quick: true, scale: 0.02 }])),
    '--goals',
    join(folder, 'none'),
  );
  expect(made.status).toBe(0);
  const small = readFileSync(join(folder, 'report.md'), 'utf8');
  expect(small).toContain('**A smoke run: the numbers mean nothing.**');
  expect(small).not.toContain('## Goals');
  expect(report(join(folder, 'absent.jsonl'))).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('no such file'),
  });
  const broken = report(file('broken.jsonl', '{"kind":"machine"}\n{'));
  expect(broken.status).toBe(1);
  expect(broken.stderr).toContain('broken.jsonl:2: expected a JSON record');
});

describe('the rows of goals.json', () => {
  const about = {
    kind: 'machine',
    cpu: 'a cpu',
    cores: 2,
    isa: 'avx2',
    commit: 'abc',
    date: '2026-01-02',
    quick: false,
  };
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
        {
          about,
          records: [{ bench: 'stall', kind: 'goal', goal: 'G12', part: 'sa', measured, unit: 'ms', note: 'n' }],
        },
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

  it('finds its records in the committed results', () => {
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
    const names = allGoals.map(({ goal, part }) => `${goal} ${part}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the page about Clipper', () => {
  const points = [
    ...[1, 4, 16].map((rows) => point('clipper3', 'linear-svm', rows, 'ms', rows, { min: rows / 2, p99: 2 * rows })),
    ...[1, 4].map((rows) => point('clipper3', 'kernel-svm', rows, 'ms', 30 * rows, { min: 30 * rows, p99: 60 * rows })),
    point('clipper3-rows', 'linear-svm', '20 ms', 'rows', 482),
    point('clipper3-rows', 'kernel-svm', '20 ms', 'rows', 2),
    point('clipper4', 'aimd', 'linear-svm', 'requests/s', 9000),
    point('clipper4-cpu', 'aimd', 'linear-svm', 'rows per second of CPU', 30_000),
    point('clipper4-cpu', 'one at a time', 'linear-svm', 'rows per second of CPU', 3000),
    point('clipper4-cpu', 'aimd', 'no-op', 'rows per second of CPU', 40_000),
    ...['network', 'kernel-svm', 'exp3', 'exp4'].flatMap((series, at) =>
      [2500, 5000].map((query) => point('clipper8', series, query, 'errors per query', 0.4 - at / 10)),
    ),
    ...['network', 'ensemble, exp4', '5 agree'].flatMap((series, at) =>
      ['errors per query', 'share of queries'].map((x) =>
        point('clipper7', series, x, 'errors per query', 0.3 - at / 10),
      ),
    ),
    ...['exp3', 'exp4'].map((series) =>
      point('clipper8-eta', series, 0.1, 'errors per query', 0.15, { min: 0.15, max: 0.15 }),
    ),
  ];
  const comparisons = ['aimd', 'by hand <&>'].map((strategy, at) => ({
    ...{ goal: 'clipper', figure: 'clipper4-cpu', what: `linear-svm, ${strategy}`, rival: 'one at a time' },
    ...{ unit: 'rows per second of CPU', ours: 30_000, theirs: 3000, ratio: 10 + at, low: 9, high: 11 },
  }));

  test('has the values of the records beside those of the paper', () => {
    const page = clipperPage({ machines: [machine], points, comparisons });
    expect(page).toContain('differ by 241x');
    expect(page).toContain('the batches differ by 241x'); // 482 / 2
    expect(page).toContain('up to 26x');
    expect(page).toContain('| linear-svm, aimd | 10.0x (9.00-11.0) |');
    expect(page).toContain('| 0.1 | 0.1500 | 0.1500 |');
    expect(page).toMatch(/best\s+model\s+alone\s+\(kernel-svm\)\s+has\s+0\.300/);
    expect(page).not.toMatch(/undefined|NaN|Infinity|\[object/);
    expect(page).not.toContain('## Figure 9'); // its part was not measured
  });

  test('has a picture with a panel for each measured figure', () => {
    const picture = clipperChart(points, comparisons);
    expect(picture.match(/class="title"/g)?.length).toBe(3);
    expect(picture).toContain('by hand &lt;&amp;&gt;');
    expect(picture).toContain('prefers-color-scheme: dark');
    expect(picture).not.toMatch(/NaN|undefined|Infinity/);
    expect(clipperChart([], [])).toContain('</svg>');
  });
});
