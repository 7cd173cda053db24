// Lists all experiments in the order of a whole run. Experiments that goals depend on run first.
// Each part runs in a separate process and can be repeated alone.

/**
 * @typedef {object} Unit
 * @property {string} name of the experiment, in records and on the command line
 * @property {string} module file in `experiments/`
 * @property {'paper' | 'single'} suite `npm run bench:paper` or `npm run bench`
 * @property {string} [part]
 * @property {number} minutes estimate for two quiet cores
 * @property {number} [processes] number of processes whose records are merged
 * @property {readonly ('sa' | 'ac')[]} [fleets] fleets of the paper's workload that the unit opens;
 * without it, the fleet that `part` names
 */

/** @type {(name: string, module: string, minutes: number, more?: Partial<Unit>) => Unit} */
const paper = (name, module, minutes, more) => ({ name, module, suite: 'paper', minutes, ...more });
/** @type {(name: string, module: string, minutes: number, more?: Partial<Unit>) => Unit} */
const single = (name, module, minutes, more) => ({ name, module, suite: 'single', minutes, ...more });

/** @type {readonly Unit[]} */
export const units = [
  paper('fig9-latency', 'latency', 1, { part: 'ac' }),
  paper('fig9-latency', 'latency', 2, { part: 'sa' }),
  paper('fig8-memory', 'memory', 5, { part: 'sa' }),
  paper('fig8-memory', 'memory', 5, { part: 'ac' }),
  paper('fig12-throughput', 'throughput', 3, { part: 'ac' }),
  paper('fig13-heavy', 'heavy-load', 3, { part: 'reservation', fleets: ['ac'] }),
  paper('stall', 'stall', 1, { part: 'sa' }),
  paper('stall', 'stall', 1, { part: 'ac' }),
  paper('start', 'start', 1, { part: 'sa' }),
  paper('fig12-throughput', 'throughput', 3, { part: 'sa' }),
  paper('fig13-heavy', 'heavy-load', 3, { part: 'load', fleets: ['sa', 'ac'] }),
  paper('fig11-http', 'http', 2, { part: 'sa' }),
  paper('fig11-http', 'http', 2, { part: 'ac' }),
  paper('fig14-http-heavy', 'http', 5, { fleets: ['ac'] }),
  paper('fig10-materialization', 'materialization', 1, { processes: 3, fleets: ['sa'] }),
  paper('start', 'start', 1, { part: 'ac' }),
  paper('events', 'events', 1, { processes: 3 }),
  single('sa-single', 'sentiment', 3, { processes: 3 }),
  single('js-fallback', 'sentiment', 2, { processes: 3 }),
  single('forest', 'forest', 2, { processes: 3 }),
  single('yggdrasil', 'yggdrasil', 1),
  single('xgboost', 'xgboost', 2),
  single('fleet-file', 'fleet-file', 3),
  single('load', 'load', 2),
  single('server', 'server', 10),
  single('cluster', 'cluster', 3),
  single('cluster-proofs', 'cluster-proofs', 15),
  single('clipper', 'clipper', 2, { part: 'selection' }),
  single('clipper', 'clipper', 9, { part: 'batching' }),
  single('clipper', 'clipper', 3, { part: 'stragglers' }),
  single('calls', 'calls', 1),
  single('tensors', 'tensors', 1),
  single('lowering', 'lowering', 1),
  single('install', 'install', 2),
];

/**
 * Estimated minutes to generate the paper's models and pack the fleets. Two processes do this in
 * parallel, one for SA and one for AC.
 */
export const PREPARE_MINUTES = 5;

/**
 * Returns the name of a unit on the command line: `fig8-memory:sa`.
 * @param {{ name: string, part?: string }} unit
 */
export const unitName = ({ name, part }) => (part === undefined ? name : `${name}:${part}`);

/**
 * Returns the fleets whose files the units of `list` open.
 *
 * @param {readonly Unit[]} list
 */
export const fleetsOf = (list) =>
  /** @type {const} */ (['sa', 'ac']).filter((kind) =>
    list.some(({ fleets, part }) => fleets?.includes(kind) ?? part === kind),
  );

/**
 * Returns the units of an experiment, or the unit of one part.
 *
 * @param {string} name
 */
export const unitsOf = (name) => units.filter((unit) => unit.name === name || unitName(unit) === name);

/**
 * @param {Record<string, any>} record
 * @param {Unit} unit
 */
const isOf = ({ bench, of }, { name, part }) => bench === name && of === part;

/**
 * Returns the units that ran to their end, according to the records.
 *
 * @param {readonly Record<string, any>[]} records
 * @returns {Unit[]}
 */
export const finished = (records) =>
  units.filter((unit) => records.some((record) => record.kind === 'done' && isOf(record, unit)));

/**
 * Returns the records of an interrupted run that are still valid: the machine, and the records of
 * finished units.
 *
 * @param {readonly Record<string, any>[]} records
 */
export function whole(records) {
  const done = finished(records);
  return records.filter((record) => record.kind === 'machine' || done.some((unit) => isOf(record, unit)));
}

/**
 * Selects the units to run, in order. `later` holds the units that do not fit in `minutes`.
 *
 * @param {readonly string[]} names an empty list selects the whole suite
 * @param {{ suite?: Unit['suite'], done?: readonly Unit[], minutes?: number }} [options]
 * @returns {{ now: Unit[], later: Unit[] }}
 */
export function planned(names, { suite = 'paper', done = [], minutes = Number.POSITIVE_INFINITY } = {}) {
  const wanted = units.filter((unit) =>
    names.length === 0 ? unit.suite === suite : names.some((name) => unitsOf(name).includes(unit)),
  );
  const [now, later] = [[], []].map((list) => /** @type {Unit[]} */ (list));
  let sum = 0;
  for (const unit of wanted.filter((one) => !done.includes(one))) {
    const fits = sum + unit.minutes <= minutes;
    if (fits) sum += unit.minutes;
    (fits ? now : later).push(unit);
  }
  return { now, later };
}

const part = process.env.BENCH_PART;

/**
 * Returns the parts of an experiment that this process runs: all parts, or the one in the
 * environment variable `BENCH_PART`.
 *
 * @template {string} Part
 * @param {readonly Part[]} all
 * @returns {readonly Part[]}
 */
export const partsOf = (all) => (part === undefined ? all : all.filter((name) => name === part));

/** The kinds of pipelines that this process runs. */
export const kinds = partsOf(/** @type {const} */ (['sa', 'ac']));
