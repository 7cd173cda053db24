import type { BaselineComparison } from './bench/baseline.js';
import type { Measurements, ModelMeasurements, RivalMeasurements } from './bench/measurements.js';
import type { Interval, Verdict } from './bench/statistics.js';
import { columns, count, printable, printBytes } from './table.js';

/** What `bench` measured, for people. */
export function benchText(now: Measurements): string {
  const { machine, models, rival, referenceMicros } = now;
  const right = ['left', ...Array(7).fill('right')] as ('left' | 'right')[];
  const parts = [
    columns([['model', 'p50', 'p99', 'batch', 'load', 'memory', 'parameters', 'own'], ...models.map(modelRow)], right),
  ];
  parts.push(
    rival === undefined
      ? '  without onnxruntime-node: it is left out, or not installed here'
      : rivalText(rival, models),
  );
  parts.push(
    `  ${machine.cpu}, ${count(machine.cores, 'core')}, Node ${machine.node}, Brezel ${machine.brezel}; reference work ${micros(referenceMicros)}`,
  );
  return `${parts.join('\n\n')}\n`;
}

function rivalText(version: string, models: readonly ModelMeasurements[]): string {
  const heading = `times better than onnxruntime-node ${printable(version)}, one thread:`;
  const table = columns(
    [['model', 'single', 'batch', 'load', 'memory', 'answers'], ...models.map(rivalRow)],
    ['left', 'right', 'right', 'right', 'right'],
  );
  const reasons = new Set(models.flatMap(({ rival }) => rival?.missing ?? []));
  return [heading, table, ...[...reasons].map((reason) => `  not run: ${printable(reason)}`)].join('\n');
}

function modelRow(model: ModelMeasurements): string[] {
  const { name, singleMicros, rowsPerSecond, loadMs, residentBytes, parameterBytes, ownBytes } = model;
  return [
    printable(name),
    micros(singleMicros.p50),
    micros(singleMicros.p99),
    `${digits(rowsPerSecond)} rows/s`,
    `${digits(loadMs)} ms`,
    residentBytes === undefined ? '' : printBytes(Math.max(0, residentBytes)),
    printBytes(parameterBytes),
    printBytes(ownBytes),
  ];
}

function rivalRow({ name, rival }: ModelMeasurements): string[] {
  if (rival === undefined || rival.missing !== undefined)
    return [printable(name), '', '', '', '', 'not run, see below'];
  const { single, batch, load, memory } = rival;
  return [
    printable(name),
    between(single!),
    between(batch!),
    between(load!),
    memory === undefined ? '' : `${digits(memory)}x`,
    agreement(rival),
  ];
}

function agreement({ compared = 0, largestDifference = 0 }: RivalMeasurements): string {
  if (compared === 0) return 'no output that both give as numbers';
  const worst = largestDifference === 0 ? 'all equal' : `differ by at most ${digits(largestDifference)}`;
  return `${count(compared, 'number')}, ${worst}`;
}

const verdicts: Readonly<Record<Verdict, string>> = {
  regressed: 'REGRESSED',
  slower: 'worse, within the limit',
  same: 'no sure difference',
  faster: 'better',
  improved: 'better, beyond the limit',
};

/**
 * Now against the baseline, for people. Parameters are bytes, everything else time.
 *
 * @param notes what is different beside the models, or not in the baseline.
 */
export function baselineText(comparisons: readonly BaselineComparison[], notes: readonly string[]): string {
  const rows = comparisons.map((one) => [printable(one.model), one.metric, between(one), verdicts[one.verdict]]);
  const lines = notes.map((note) => `  ${printable(note)}\n`).join('');
  return `now / baseline, times as multiples of the reference work; above 1 is worse:\n${columns(rows)}\n${lines}`;
}

/** `12x (11-13)`: the middle, and where it lies with confidence. */
export const between = ({ ratio, low, high }: Interval) => `${digits(ratio)}x (${digits(low)}-${digits(high)})`;

const micros = (value: number) => (value >= 10_000 ? `${digits(value / 1000)} ms` : `${digits(value)} µs`);

/** Three digits, and no exponent where people would stumble over it. */
function digits(value: number): string {
  if (value >= 100 || value === 0) return Math.round(value).toLocaleString('en-US');
  return value < 0.001 ? value.toPrecision(2) : value.toPrecision(3);
}
