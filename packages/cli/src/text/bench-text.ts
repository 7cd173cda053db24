import type { BaselineComparison } from '../bench/baseline.js';
import type { Measurements, ModelMeasurements, RivalMeasurements } from '../bench/measurements.js';
import type { Interval, Verdict } from '../bench/statistics.js';
import { columns, count, printable, printBytes } from './table.js';

/** Formats the measurements of `bench` for people. */
export function benchText(now: Measurements): string {
  const { machine, models, rival, referenceMicros } = now;
  const right = ['left', ...Array(7).fill('right')] as ('left' | 'right')[];
  const parts = [
    columns(
      [['model', 'p50', 'p99', 'batch', 'load', 'memory', 'parameters', 'unshared'], ...models.map(modelRow)],
      right,
    ),
  ];
  parts.push(
    rival === undefined ? '  onnxruntime-node was not measured: disabled, or not installed' : rivalText(rival, models),
  );
  parts.push(
    `  ${machine.cpu}, ${count(machine.cores, 'core')}, Node ${machine.node}, Brezel ${machine.brezel}; reference workload ${micros(referenceMicros)}`,
  );
  return `${parts.join('\n\n')}\n`;
}

function rivalText(version: string, models: readonly ModelMeasurements[]): string {
  const heading = `ratio to onnxruntime-node ${printable(version)}, one thread (above 1: Brezel is better):`;
  const table = columns(
    [['model', 'single', 'batch', 'load', 'memory', 'answers'], ...models.map(rivalRow)],
    ['left', 'right', 'right', 'right', 'right'],
  );
  const reasons = new Set(models.flatMap(({ rival }) => rival?.missing ?? []));
  const locales = new Set(models.flatMap(({ rival }) => rival?.locale ?? []));
  return [
    heading,
    table,
    ...[...locales].map(
      (locale) => `  onnxruntime runs with the locale ${locale}, because the locale of the model is not installed`,
    ),
    ...[...reasons].map((reason) => `  not run: ${printable(reason.replace(/\s+/g, ' ').trim())}`),
  ].join('\n');
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
    return [printable(name), '', '', '', '', 'not run (see below)'];
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
  if (compared === 0) return 'no common numeric output';
  const worst = largestDifference === 0 ? 'all equal' : `largest difference ${digits(largestDifference)}`;
  return `${count(compared, 'number')}, ${worst}`;
}

const verdicts: Readonly<Record<Verdict, string>> = {
  regressed: 'REGRESSED',
  slower: 'worse, within the limit',
  same: 'no significant difference',
  faster: 'better',
  improved: 'better, beyond the limit',
};

/**
 * Formats the comparison with the baseline for people. The metric `parameters` is in bytes; all
 * other metrics are times.
 *
 * @param notes other differences from the baseline, and models that the baseline does not have.
 */
export function baselineText(comparisons: readonly BaselineComparison[], notes: readonly string[]): string {
  const rows = comparisons.map((one) => [printable(one.model), one.metric, between(one), verdicts[one.verdict]]);
  const lines = notes.map((note) => `  ${printable(note)}\n`).join('');
  return `now / baseline, with times as multiples of the reference workload (above 1: worse):\n${columns(rows)}\n${lines}`;
}

/** Formats a ratio with its confidence interval: `12x (11-13)`. */
export const between = ({ ratio, low, high }: Interval) => `${digits(ratio)}x (${digits(low)}-${digits(high)})`;

/** Formats a time: `3.12 µs`, `14.2 ms`. */
export const micros = (value: number) => (value >= 10_000 ? `${digits(value / 1000)} ms` : `${digits(value)} µs`);

/**
 * Formats a number: from 100 as an integer, below 0.001 with two digits, otherwise with three
 * digits.
 */
function digits(value: number): string {
  if (value >= 100 || value === 0) return Math.round(value).toLocaleString('en-US');
  return value < 0.001 ? value.toPrecision(2) : value.toPrecision(3);
}
