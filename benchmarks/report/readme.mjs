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

/** @param {readonly Comparison[]} comparisons */
const told = (comparisons) =>
  CLAIMS.flatMap((claim) => {
    const found = comparisons.findLast(({ goal, part }) => goal === claim.goal && part === claim.part);
    return found === undefined ? [] : [{ ...claim, found }];
  });

/** @param {readonly Comparison[]} comparisons @param {string} machine @param {string} picture its path */
export function readmePart(comparisons, machine, picture) {
  const rows = told(comparisons).map(({ what, paper, found }) => {
    const { unit, ours, theirs, ratio, min, max } = found;
    const spread = min === undefined || max === undefined ? '' : `${number(min)}-${number(max)}`;
    return `| ${what} | ${number(ours)} ${unit} | ${number(theirs)} ${unit} | ${number(ratio)}x | ${spread} | ${paper} |`;
  });
  return [
    `<img src="${picture}" width="520" alt="How many times better than its rival: Brezel, and PRETZEL in its paper">`,
    '',
    '| | Brezel | onnxruntime-node | ratio | spread | PRETZEL, to its own rivals |',
    '|---|--:|--:|--:|--:|---|',
    ...rows,
    '',
    '`npm run bench:paper`: exported graphs, one thread each, all pipelines in one process; some of the rival are loaded, and their memory and load time counted up to 250.',
    'Where results are kept, the rival is Brezel without them. Spread: where the ratio of another run is expected.',
    `Machine: ${machine}.`,
  ].join('\n');
}

/** Ours and the paper's in turns. @param {readonly Comparison[]} comparisons */
export function readmePicture(comparisons) {
  const bars = told(comparisons).flatMap(({ what, ratios, found }) => [
    { label: what, className: 'ours', value: found.ratio, low: found.min, high: found.max },
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
