// What the project wants to reach, and which record says how far it is. A goal of several parts has a row for each.

/** @typedef {Record<string, any>} BenchRecord */
/** @typedef {{ about: BenchRecord, records: BenchRecord[] }} Run a results file: its machine line, and the others */
/**
 * @typedef {object} Goal
 * @property {string} goal
 * @property {string} part what exactly
 * @property {'least' | 'most'} bound
 * @property {number} target
 * @property {string} unit
 * @property {string} bench that measures it
 * @property {boolean} [paper] whether it is an experiment of the paper
 * @property {(record: BenchRecord) => boolean} select
 * @property {(record: BenchRecord) => number} [read] in the unit of the target; default: the ratio of a comparison, what was measured of a goal
 */
/** @typedef {{ goal: string, part: string, target: string, measured: number | null, unit: string, met: boolean | null, command: string, note: string }} GoalRow */

/** A comparison whose record names this goal, and whose text has all of these parts. @param {string} goal @param {string[]} parts */
const compared =
  (goal, ...parts) =>
  (/** @type {BenchRecord} */ record) =>
    record.kind === 'comparison' &&
    record.goal === goal &&
    parts.every((part) => `${record.what}, ${record.rival}`.includes(part));

/** A record, of either kind, that names goal and part. @param {string} goal @param {string} part */
const named = (goal, part) => (/** @type {BenchRecord} */ record) => record.goal === goal && record.part === part;

const SA_1M = 'SA single, 1M dictionary, texts of 100 words, answer object';

/** @type {Goal[]} */
export const goals = [
  {
    goal: 'G1',
    part: 'SA single, 1M, natural',
    bound: 'least',
    target: 150,
    unit: 'x',
    bench: 'sa-single',
    select: compared('G1', SA_1M),
  },
  {
    goal: 'G2',
    part: 'SA single, 1M, expert',
    bound: 'least',
    target: 20,
    unit: 'x',
    bench: 'sa-single',
    select: compared('G2', SA_1M),
  },
  {
    goal: 'G3',
    part: 'SA batch of 1000, expert',
    bound: 'least',
    target: 20,
    unit: 'x',
    bench: 'fig12-throughput',
    paper: true,
    select: named('G3', 'batch expert'),
  },
  {
    goal: 'G3',
    part: 'SA batch, natural (its batch: 100)',
    bound: 'least',
    target: 300,
    unit: 'x',
    bench: 'fig12-throughput',
    paper: true,
    select: named('G3', 'batch natural'),
  },
  {
    goal: 'G4',
    part: 'forest 100x6 single',
    bound: 'least',
    target: 15,
    unit: 'x',
    bench: 'forest',
    select: compared('G4', 'single, avx512'),
  },
  {
    goal: 'G4',
    part: 'forest 100x6 batch, AVX-512',
    bound: 'least',
    target: 12,
    unit: 'x',
    bench: 'forest',
    select: compared('G4', 'batch of 1000, avx512'),
  },
  {
    goal: 'G4',
    part: 'forest 100x6 batch, AVX2',
    bound: 'least',
    target: 6,
    unit: 'x',
    bench: 'forest',
    select: compared('G4', 'batch of 1000, avx2'),
  },
  {
    goal: 'G5',
    part: 'forest 500x8 single',
    bound: 'least',
    target: 10,
    unit: 'x',
    bench: 'forest',
    select: compared('G5', 'single, avx512'),
  },
  {
    goal: 'G5',
    part: 'forest 500x8 batch',
    bound: 'least',
    target: 9,
    unit: 'x',
    bench: 'forest',
    select: compared('G5', 'batch of 1000, avx512'),
  },
  {
    goal: 'G6',
    part: 'AC single, natural',
    bound: 'least',
    target: 15,
    unit: 'x',
    bench: 'fig9-latency',
    paper: true,
    select: named('G6', 'fleet ac natural hot'),
  },
  {
    goal: 'G6',
    part: 'AC batch of 1000, natural',
    bound: 'least',
    target: 10,
    unit: 'x',
    bench: 'fig12-throughput',
    paper: true,
    select: named('G6', 'batch natural'),
  },
  {
    goal: 'G7',
    part: 'p99 of SA single, natural',
    bound: 'least',
    target: 10,
    unit: 'x',
    bench: 'sa-single',
    select: compared('G7', `p99 of ${SA_1M}`, 'natural graph'),
  },
  {
    goal: 'G7',
    part: 'own p99 / p50, SA',
    bound: 'most',
    target: 2,
    unit: 'times',
    bench: 'fig9-latency',
    paper: true,
    select: named('G7', 'sa own'),
  },
  {
    goal: 'G7',
    part: 'own p99 / p50, AC',
    bound: 'most',
    target: 2,
    unit: 'times',
    bench: 'fig9-latency',
    paper: true,
    select: named('G7', 'ac own'),
  },
  {
    goal: 'G8',
    part: 'memory of 250 SA, natural',
    bound: 'least',
    target: 70,
    unit: 'x',
    bench: 'fig8-memory',
    paper: true,
    select: named('G8', 'sa natural'),
  },
  {
    goal: 'G8',
    part: 'memory of 250 SA, expert',
    bound: 'least',
    target: 45,
    unit: 'x',
    bench: 'fig8-memory',
    paper: true,
    select: named('G8', 'sa expert'),
  },
  {
    goal: 'G8',
    part: 'memory of 250 AC, natural',
    bound: 'least',
    target: 25,
    unit: 'x',
    bench: 'fig8-memory',
    paper: true,
    select: named('G8', 'ac natural'),
  },
  {
    goal: 'G8',
    part: 'a further plan beyond its parameters',
    bound: 'most',
    target: 16,
    unit: 'KiB',
    bench: 'fleet-file',
    select: named('G8', 'marginal'),
  },
  {
    goal: 'G9',
    part: 'load a compiled model, SA 1M, natural',
    bound: 'least',
    target: 1000,
    unit: 'x',
    bench: 'fleet-file',
    select: compared('G9', 'load a further model of it, SA 1M', 'natural'),
  },
  {
    goal: 'G9',
    part: 'load 250 SA',
    bound: 'most',
    target: 20,
    unit: 'ms',
    bench: 'fig8-memory',
    paper: true,
    select: named('G9', 'sa fleet'),
  },
  {
    goal: 'G10',
    part: 'cold first prediction, SA 1M, natural',
    bound: 'least',
    target: 100,
    unit: 'x',
    bench: 'fleet-file',
    select: compared('G10', 'file read ahead, SA 1M', 'natural'),
  },
  {
    goal: 'G10',
    part: 'cold first prediction, SA 1M, expert',
    bound: 'least',
    target: 6,
    unit: 'x',
    bench: 'fleet-file',
    select: compared('G10', 'file read ahead, SA 1M', 'expert'),
  },
  {
    goal: 'G10',
    part: 'cold first prediction, prefaulted',
    bound: 'most',
    target: 25,
    unit: 'µs',
    bench: 'fleet-file',
    select: compared('G10', 'file read ahead, SA 1M', 'expert'),
    read: ({ ours }) => ours * 1000,
  },
  {
    goal: 'G11',
    part: 'process start to first answer, SA 1M, expert',
    bound: 'least',
    target: 7,
    unit: 'x',
    bench: 'start',
    paper: true,
    select: named('G11', 'sa expert'),
  },
  {
    goal: 'G11',
    part: 'of it inside the process',
    bound: 'most',
    target: 5,
    unit: 'ms',
    bench: 'start',
    paper: true,
    select: named('G11', 'sa inside'),
  },
  {
    goal: 'G12',
    part: 'longest stall of a batch of SA',
    bound: 'most',
    target: 1,
    unit: 'ms',
    bench: 'stall',
    paper: true,
    select: named('G12', 'sa'),
  },
  {
    goal: 'G12',
    part: 'longest stall of a batch of AC',
    bound: 'most',
    target: 1,
    unit: 'ms',
    bench: 'stall',
    paper: true,
    select: named('G12', 'ac'),
  },
  {
    goal: 'G13',
    part: 'JavaScript, SA 1M, expert',
    bound: 'least',
    target: 6,
    unit: 'x',
    bench: 'js-fallback',
    select: compared('G13', '1M dictionary, texts of 100 words', 'expert'),
  },
  {
    goal: 'G13',
    part: 'JavaScript, SA 1M, code with Maps',
    bound: 'least',
    target: 6,
    unit: 'x',
    bench: 'js-fallback',
    select: compared('G13', '1M dictionary, texts of 100 words', 'Map code'),
  },
  {
    goal: 'G13',
    part: 'JavaScript, forest 100x6 single',
    bound: 'least',
    target: 2.5,
    unit: 'x',
    bench: 'forest',
    select: compared('G13', 'forest 100x6 single'),
  },
  {
    goal: 'G14',
    part: 'a stage event, native',
    bound: 'most',
    target: 150,
    unit: 'ns',
    bench: 'events',
    paper: true,
    select: named('G14', 'stage event'),
  },
  {
    goal: 'G14',
    part: 'submit and promise, JavaScript',
    bound: 'most',
    target: 1.5,
    unit: 'µs',
    bench: 'events',
    paper: true,
    select: named('G14', 'submit'),
  },
  {
    goal: 'G14',
    part: 'a row in bulk',
    bound: 'most',
    target: 200,
    unit: 'ns',
    bench: 'events',
    paper: true,
    select: named('G14', 'bulk row'),
  },
  {
    goal: 'G15',
    part: '4 processes, sum of PSS / RSS of one, SA',
    bound: 'most',
    target: 1.05,
    unit: 'times',
    bench: 'fig8-memory',
    paper: true,
    select: named('G15', 'sa'),
  },
  {
    goal: 'G16',
    part: '2 executors / 1, SA',
    bound: 'least',
    target: 1.9,
    unit: 'times',
    bench: 'fig12-throughput',
    paper: true,
    select: named('G16', 'sa'),
  },
  {
    goal: 'G16',
    part: '2 executors / 1, AC',
    bound: 'least',
    target: 1.9,
    unit: 'times',
    bench: 'fig12-throughput',
    paper: true,
    select: named('G16', 'ac'),
  },
  {
    goal: 'G17',
    part: 'p99 of a reserved plan, under load / idle',
    bound: 'most',
    target: 1.2,
    unit: 'times',
    bench: 'fig13-heavy',
    paper: true,
    select: (record) => record.goal === 'G17',
  },
  {
    goal: 'G18',
    part: 'SA fleet, the same text over many plans',
    bound: 'least',
    target: 2,
    unit: 'x',
    bench: 'fig10-materialization',
    paper: true,
    select: named('G18', 'same text'),
  },
];

const read = (/** @type {BenchRecord} */ record) => (record.kind === 'comparison' ? record.ratio : record.measured);

/**
 * A row for every part of every goal. Of several records the last one counts; smoke runs do not.
 *
 * @param {readonly Run[]} runs in the order of their dates
 * @returns {GoalRow[]}
 */
export function goalRows(runs) {
  const whole = runs.filter(({ about }) => !about.quick && (about.scale ?? 1) === 1);
  return goals.map((goal) => {
    const found = whole.flatMap(({ about, records }) =>
      records
        .filter((record) => record.bench === goal.bench && goal.select(record))
        .map((record) => ({ about, record })),
    );
    const last = found.at(-1);
    return last === undefined ? unmeasured(goal, whole, runs) : measured(goal, last.record, last.about);
  });
}

/** @param {Goal} goal @param {BenchRecord} record @param {BenchRecord} about @returns {GoalRow} */
function measured(goal, record, about) {
  const value = (goal.read ?? read)(record);
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  const isMet = goal.bound === 'least' ? value >= goal.target : value <= goal.target;
  const range = record.low === undefined ? '' : `middle half ${short(record.low)}-${short(record.high)}; `;
  const own =
    record.note ??
    (record.kind === 'comparison' ? `${short(record.ours)} against ${short(record.theirs)} ${record.unit}` : '');
  return {
    ...frame(goal),
    measured: isNumber ? Number(value.toPrecision(4)) : null,
    met: isNumber ? isMet : null,
    note: `${range}${own}${own === '' ? '' : '; '}${about.cpu}, commit ${about.commit}, ${about.date}`,
  };
}

/** @param {Goal} goal @param {readonly Run[]} whole @param {readonly Run[]} runs @returns {GoalRow} */
function unmeasured(goal, whole, runs) {
  const said = whole
    .flatMap(({ records }) => records)
    .findLast(
      ({ kind, bench, what }) => kind === 'missing' && bench === goal.bench && String(what).includes(goal.goal),
    );
  const isSmoke = runs.some(({ records }) =>
    records.some((record) => record.bench === goal.bench && goal.select(record)),
  );
  const why = said?.why ?? (isSmoke ? 'only a smoke run, which does not count' : 'no record of it');
  return { ...frame(goal), measured: null, met: null, note: `not measured: ${why}` };
}

/** @param {Goal} goal */
const frame = ({ goal, part, bound, target, unit, bench, paper }) => ({
  goal,
  part,
  target: `${bound === 'least' ? '≥' : '≤'} ${target}${unit === 'x' ? 'x' : ` ${unit}`}`,
  unit,
  command: `npm run ${paper ? 'bench:paper' : 'bench'} -- ${bench}`,
});

/** @param {number} value */
const short = (value) => String(Number(value.toPrecision(3)));

/** A results file. @param {string} text JSON lines, the machine first @returns {Run} */
export function parseRun(text) {
  const [about, ...records] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  if (about?.kind !== 'machine') throw new Error('the first line of a results file tells the machine');
  return { about, records };
}
