import { barPicture, number } from './svg.mjs';

// What the README shows of the paper's evaluation: each claim of the paper that has a number, and ours beside it.

/** @typedef {import('./records.mjs').Comparison} Comparison */

/** @type {readonly { what: string, goal: string, part: string, paper: string, ratios: number[] }[]} ratios: of the paper, to its own rivals */
const CLAIMS = [
  { what: 'memory of 250 SA pipelines', goal: 'G8', part: 'sa natural', paper: 'its rivals did not fit', ratios: [] },
  {
    what: 'memory of 250 AC pipelines',
    goal: 'G8',
    part: 'ac natural',
    paper: '25x (ML.Net), 62x (Clipper)',
    ratios: [25, 62],
  },
  { what: 'loading 250 AC pipelines', goal: 'G9', part: 'fleet ac natural', paper: '96x', ratios: [96.4] },
  { what: 'p99 of hot single predictions, SA', goal: 'G7', part: 'fleet sa natural', paper: '3.2x', ratios: [3.2] },
  { what: 'p99 of hot single predictions, AC', goal: 'G7', part: 'fleet ac natural', paper: '3.1x', ratios: [3.1] },
  {
    what: 'p99 of first predictions, SA',
    goal: 'G10',
    part: 'fleet sa natural cold p99',
    paper: '9.8x',
    ratios: [9.8],
  },
  {
    what: 'p99 of first predictions, AC',
    goal: 'G10',
    part: 'fleet ac natural cold p99',
    paper: '5.7x',
    ratios: [5.7],
  },
  { what: 'results of shared stages kept, SA', goal: 'G18', part: 'same text', paper: '2.0x', ratios: [2] },
  { what: 'p99 through HTTP, SA', goal: 'G7', part: 'http sa natural', paper: '2.2x (Clipper)', ratios: [2.16] },
  { what: 'p99 through HTTP, AC', goal: 'G7', part: 'http ac natural', paper: '2.5x (Clipper)', ratios: [2.47] },
  { what: 'batches of 1000 (rival: of 100), SA', goal: 'G3', part: 'batch natural', paper: '2.6x', ratios: [2.6] },
  { what: 'batches of 1000, AC', goal: 'G6', part: 'batch natural', paper: '10x', ratios: [10] },
];

/** Each claim as the run found it, and a second run. @param {readonly Comparison[]} comparisons @param {readonly Comparison[]} second */
const told = (comparisons, second) =>
  CLAIMS.flatMap((claim) => {
    const of = (/** @type {readonly Comparison[]} */ list) =>
      list.findLast(({ goal, part }) => goal === claim.goal && part === claim.part);
    const found = of(comparisons);
    return found === undefined ? [] : [{ ...claim, found, again: of(second)?.ratio }];
  });

/** @param {readonly Comparison[]} comparisons @param {readonly Comparison[]} second of a second run @param {string} machine @param {string} picture its path */
export function readmePart(comparisons, second, machine, picture) {
  const rows = told(comparisons, second).map(({ what, paper, found, again }) => {
    const { unit, ours, theirs, ratio } = found;
    const ratios = `${number(ratio)}x | ${again === undefined ? '' : `${number(again)}x`}`;
    return `| ${what} | ${number(ours)} ${unit} | ${number(theirs)} ${unit} | ${ratios} | ${paper} |`;
  });
  return [
    `<img src="${picture}" width="520" alt="How many times better than its rival: Brezel, and PRETZEL in its paper">`,
    '',
    '| | Brezel | onnxruntime-node | ratio | again | PRETZEL, to its own rivals |',
    '|---|--:|--:|--:|--:|---|',
    ...rows,
    '',
    '`npm run bench:paper`: exported graphs, one thread each, all pipelines in one process; some of the rival are loaded, and their memory and load time counted up to 250.',
    'Where results are kept, the rival is Brezel without them. Again: the ratio of a second run; where others are expected is told beside all figures, below.',
    `Machine: ${machine}.`,
  ].join('\n');
}

/** Ours, with a whisker to that of the second run, and the paper's in turns. @param {readonly Comparison[]} comparisons @param {readonly Comparison[]} second */
export function readmePicture(comparisons, second) {
  const bars = told(comparisons, second).flatMap(({ what, ratios, found: { ratio }, again = ratio }) => [
    { label: what, className: 'ours', value: ratio, low: Math.min(ratio, again), high: Math.max(ratio, again) },
    ...ratios.map((value) => ({ label: 'PRETZEL, in its paper', className: 'paper', value })),
  ]);
  return barPicture('Times better than the rival', 'above 1: better', bars, STYLE);
}

const STYLE = `
text { font: 12px system-ui, sans-serif; fill: #1c2024 }
.label, .tick { font-size: 11px }
.tick { fill: #5b6470 }
.value { font-weight: 600 }
.ours { fill: #1f6feb }
.paper { fill: none; stroke: #5b6470; stroke-width: 1.5; stroke-dasharray: 3 3 }
.whisker { stroke: #1c2024; stroke-width: 1.5; opacity: .75 }
`;
