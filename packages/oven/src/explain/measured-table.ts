import type { InputQuality, QualityStatistics } from '@brezel/core';
import type { PlanMeasurementView, PlanView } from './plan-view.js';
import { alignColumns, count, percent, printBytes, printTime } from './words.js';

const BAR_WIDTH = 20;

/**
 * Returns a table of the measured times of a plan: a line for each stage, for the time outside
 * stages, and for the whole call. A last line shows the time of the whole call while the stages are
 * measured.
 */
export function measuredTable({ stages }: PlanView, measured: PlanMeasurementView): string[] {
  const { rest, restShare, total, observed } = measured;
  const table = [
    ['  a row', 'median', 'min', 'share', '', 'reads', 'writes', 'parameters'],
    ...stages.map(({ number, role, measured: stage, parameterBytes }) => [
      `  stage ${number} ${role}`,
      printTime(stage!.nanoseconds.median),
      printTime(stage!.nanoseconds.min),
      percent(stage!.share),
      bar(stage!.share),
      printBytes(stage!.bytesRead),
      printBytes(stage!.bytesWritten),
      printBytes(parameterBytes),
    ]),
    ['  rest', printTime(rest.median), '', percent(restShare), bar(restShare)],
    ['  total', printTime(total.median), printTime(total.min)],
    ['  with clocks', printTime(observed.median), printTime(observed.min)],
  ];
  return [
    `measured: ${runOf(measured)}`,
    ...alignColumns(table, ['left', 'right', 'right', 'right', 'left', 'right', 'right', 'right']),
  ];
}

/** Returns a table with the counters of data quality of each input. */
export function qualityTable({ rows, inputs }: QualityStatistics): string[] {
  const line = (name: string, of: InputQuality) => [
    `  ${name}`,
    ...[of.missing, of.unknown, of.below, of.above].map((number) => share(number, of.values)),
    share(of.unknownTerms, of.terms),
  ];
  const table = [
    ['  input', 'missing', 'unknown', 'below', 'above', 'unknown terms'],
    ...Object.entries(inputs).map(([name, counts]) => line(name, counts)),
  ];
  const title = `data quality of ${count(rows, 'row')}; "-": the model has no such check`;
  return [title, ...alignColumns(table, ['left', 'right', 'right', 'right', 'right', 'right'])];
}

/**
 * Formats a count with its percentage of a total. Returns a dash if the plan does not have this
 * counter.
 */
function share(number: number | undefined, of: number | undefined): string {
  if (number === undefined || of === undefined) return '-';
  return number === 0 ? '0' : `${number} (${percent(number / of)})`;
}

/**
 * Returns notes that explain the last lines of a table of measured times, such as `total` and
 * `rest`. The notes appear only once in the output; `shown` records that they have appeared.
 */
export function measuredNotes({ blockRows }: PlanMeasurementView, shown: Map<string, string>): string[] {
  if (shown.has('notes')) return [];
  shown.set('notes', '');
  return [
    `  total: ${blockRows === 1 ? 'predictSync' : 'predictBatch'}, measured from outside. rest: checking rows, entering and leaving stages, building answers.`,
    '  with clocks: the same call with a clock at each stage; both are measured alternately.',
  ];
}

/**
 * Describes a measurement, for example `300 rows, 256 at a time, 41 repetitions, native (avx512)`.
 */
export function runOf({ rows, blockRows, repetitions, engine, isa }: PlanMeasurementView): string {
  const kernels = isa ? `native (${isa})` : engine === 'native' ? 'native' : 'in WebAssembly';
  const where = { native: kernels, wasm: kernels, mixed: `${kernels} and in JavaScript`, javascript: 'in JavaScript' };
  return `${count(rows, 'row')}, ${blockRows === 1 ? 'one' : Math.min(rows, blockRows)} at a time, ${count(repetitions, 'repetition')}, ${where[engine]}`;
}

function bar(share: number): string {
  const filled = Math.min(BAR_WIDTH, Math.max(0, Math.round(share * BAR_WIDTH)));
  return `${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}`;
}
