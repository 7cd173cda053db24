import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { learn, learnedText } from '../lib/between.mjs';
import { readmePart, readmePicture } from '../report/readme.mjs';

// The report from records that a part of the experiments wrote, as `npm run bench:report` makes it.

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
  { bench: 'fig9-latency', kind: 'note', text: 'all agree on <script>alert(1)</script>' },
  { bench: 'fig13-heavy', kind: 'missing', what: 'Figure 13', why: 'one core & no more' },
];
const goals = [
  { goal: 'G1', target: '≥ 150x', measured: 171.2, unit: 'x', met: true, command: 'npm run bench', note: '' },
  {
    goal: 'G12',
    target: '≤ 1 ms',
    measured: 1.4,
    unit: 'ms',
    met: false,
    command: 'npm run bench',
    note: 'GC "binds"',
  },
  { goal: 'G16', part: 'SA', target: '≥ 1.9x', measured: null, unit: 'x', met: null, command: 'npm run bench' },
];

let html = '';
let text = '';
beforeAll(() => {
  const made = report(file('some.jsonl', lines(records)), '--goals', file('goals.json', JSON.stringify(goals)));
  expect(made).toMatchObject({ status: 0, stderr: '' });
  html = readFileSync(join(folder, 'report.html'), 'utf8');
  text = readFileSync(join(folder, 'report.md'), 'utf8');
});

/** A section of the page. */
const section = (id: string) => html.slice(html.indexOf(`<section id="${id}">`)).split('</section>')[0]!;

test('the page needs nothing from elsewhere, and runs nothing', () => {
  expect(html).not.toMatch(/<script|<link|<img|@import|url\(|https?:/);
  expect(html).toContain('a processor, 2 cores, 8 GiB, linux-x64, Node v20.0.0, onnxruntime-node 1.0.0, kernels avx2');
  expect(section('fig9')).toContain('&lt;script&gt;');
});

test('ours stands beside the rival and the paper, which is cited', () => {
  const fig8 = section('fig8');
  for (const shown of [
    'brezel, fleet file',
    '75,000',
    'memory of 250 SA | a, against natural',
    '>75.0<',
    'paper: memory of 250 AC',
    '>62.0<',
    'Paper, section 5.1',
  ])
    expect(fig8).toContain(shown);
  expect(html).toContain('OSDI 2018');
  // 1000 of 75,000 on a scale of decades from 100 on: log 10 / log 750 of the 286 pixels.
  expect(fig8).toMatch(/width="99\.5" [^>]*class="bar ours0"/);
  expect(fig8).toMatch(/width="286\.0" [^>]*class="bar theirs0"/);
});

test('numbers become lines with p99, many pipelines one sorted line', () => {
  const fig14 = section('fig14');
  expect(fig14.match(/class="line ours0"/g)).toHaveLength(1);
  expect(fig14.match(/class="line dashed theirs0"/g)).toHaveLength(1);
  expect(fig14).toContain('requests/s');
  expect(section('fig10')).toContain('% of 50, sorted');
  expect(section('fig10').match(/<circle/g)).toBeNull();
});

test('what was not measured is said, and why', () => {
  expect(section('fig13')).toContain('Figure 13: not measured (one core &amp; no more).');
  for (const id of ['fig9', 'fig11', 'fig12', 'stall', 'start'])
    expect(section(id)).toContain('Not measured in these records');
  expect(section('fig8')).not.toContain('Not measured');
  expect(text).toContain('| Figure 11 | not measured |');
  expect(text).toContain('Not measured: Figure 13 (one core & no more).');
});

test('every goal has a row with its verdict', () => {
  expect(section('goals')).toContain('1 of 3 are met, 1 not measured.');
  expect(section('goals')).toMatch(/G12.*✗ not met.*GC &quot;binds&quot;/);
  expect(text).toContain('| G12 | ≤ 1 ms | 1.40 ms | not met | GC "binds" |');
  expect(text).toContain('| G16 SA | ≥ 1.9x | not measured |  |  |');
  expect(text).toContain(
    '| Figure 8 | memory of 250 SA \\| a | 1,000 MiB | 75,000 MiB (natural graph) | 75.0x | 70.0-80.0 | 25.0x',
  );
});

test('the README shows the claims of the paper beside what was measured', () => {
  const comparisons = [
    {
      goal: 'G8',
      part: 'ac natural',
      what: '',
      rival: '',
      unit: 'MiB',
      ours: 100,
      theirs: 3000,
      ratio: 30,
      min: 29,
      max: 31,
    },
    { goal: 'G8', part: 'ac expert', what: '', rival: '', unit: 'MiB', ours: 100, theirs: 1, ratio: 0.01 },
  ];
  const second = [{ ...comparisons[0]!, ratio: 28.5 }];
  const part = readmePart(comparisons, second, 'a <machine>', 'docs/one.svg');
  const row = '| memory of 250 AC pipelines | 100 MiB | 3,000 MiB | 30.0x | 28.5x | 25x (ML.Net), 62x (Clipper) |';
  expect(part.split('\n').filter((line) => line.startsWith('| '))).toEqual([
    expect.stringContaining('| | Brezel'),
    row,
  ]);
  expect(part).toContain('<img src="docs/one.svg"');
  const picture = readmePicture(comparisons, second);
  expect(picture).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*>.*<\/svg>\n$/s);
  for (const value of ['30.0', '25.0', '62.0']) expect(picture).toContain(`>${value}</text>`);
  expect(picture.match(/class="bar/g)).toHaveLength(3);
});

test('a second run is held against the first', () => {
  const second = [
    machine,
    { ...point('fig8', 'brezel, fleet file', '250 SA memory', 'MiB', 900) },
    { ...records.find(({ kind }) => kind === 'comparison')!, ratio: 81 },
  ];
  const one = file('some.jsonl', lines(records));
  const made = report(one, '--again', file('second.jsonl', lines(second)), '--goals', join(folder, 'none'));
  expect(made).toMatchObject({ status: 0, stderr: '' });
  const page = readFileSync(join(folder, 'report.html'), 'utf8');
  expect(page).toContain('<section id="again">');
  expect(page).toMatch(/Outside:.*memory of 250 SA \| a, against natural graph.*70\.0-80\.0.*81\.0/s);
  expect(readFileSync(join(folder, 'report.md'), 'utf8')).toContain(
    '- G8 memory of 250 SA \\| a, against natural graph: 75.0 (70.0-80.0), again 81.0 x',
  );
  expect(report(one).status).toBe(0);
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).not.toContain('id="again"');
});

test('spreads are widened by what other pairs of runs say of their kind, everywhere', () => {
  const ratio = records.find(({ kind }) => kind === 'comparison')!;
  const [first, second] = [75, 90].map((value) => ({ about: machine, records: [{ ...ratio, ratio: value }] })) as [
    Run,
    Run,
  ];
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
  const told = readFileSync(join(folder, 'report.md'), 'utf8');
  // Two runs of memory were 90 / 75 apart, 90 / 80 beyond their spread: at least that is added.
  const [, least, most] = /\| 75\.0x \| ([\d.]+)-([\d.]+) \|/.exec(told)!;
  expect(Number(least)).toBeLessThan(70 / 1.2);
  expect(Number(most)).toBeGreaterThan(80 * 1.2);
  expect(told).toMatch(/\| memory \| x\d\.\d+ \| 1 \| 1 \| 0 \|/);
  expect(told).toContain('By blocks alone: 0 of 1 ratios and goals');
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('blocks widened by');
});

test('a small run says so; no records, no goals and no JSON are faults that say what to do', () => {
  const made = report(
    file('small.jsonl', lines([{ ...machine, quick: true, scale: 0.02 }])),
    '--goals',
    join(folder, 'none'),
  );
  expect(made.status).toBe(0);
  const small = readFileSync(join(folder, 'report.html'), 'utf8');
  expect(small).toContain('A small run (scale 0.02)');
  expect(small).toContain('No goals file: npm run bench:goals');
  expect(report(join(folder, 'absent.jsonl'))).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('no such file'),
  });
  const broken = report(file('broken.jsonl', '{"kind":"machine"}\n{'));
  expect(broken.status).toBe(1);
  expect(broken.stderr).toContain('broken.jsonl:2 is no record');
});
