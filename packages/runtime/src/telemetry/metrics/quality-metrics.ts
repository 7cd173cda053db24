import type { InputQuality, QualityStatistics } from '@brezel/core';
import type { Metric, Reading } from './metric.js';

const COUNTS: Readonly<Record<keyof InputQuality, readonly [name: string, help: string]>> = {
  values: ['quality.values', 'Values of an input that were examined'],
  missing: ['quality.missing', 'Examined values that were missing'],
  unknown: ['quality.unknown', 'Examined values that an encoder of categories lacks'],
  terms: ['quality.terms', 'Terms of examined texts'],
  unknownTerms: ['quality.unknown.terms', 'Terms of examined texts that the vocabulary lacks'],
  below: ['quality.below', 'Examined numbers below the range of the model'],
  above: ['quality.above', 'Examined numbers above the range of the model'],
};

/** A plan or a version with counters of data quality. */
export interface Counted {
  readonly name: string;
  readonly quality?: QualityStatistics;
}

/**
 * Returns the metrics of data quality, with a label for the plan or version.
 *
 * @param prefix the start of the names of the metrics
 */
export function qualityMetrics<Statistics>(
  prefix: string,
  label: string,
  of: (stats: Statistics) => readonly Counted[],
): Metric<Statistics>[] {
  const rows: Metric<Statistics> = {
    name: `${prefix}quality.rows`,
    kind: 'counter',
    help: 'Rows that were examined for data quality',
    labels: [label],
    read: (stats) =>
      of(stats).flatMap(({ name, quality }) =>
        quality === undefined ? [] : [{ labels: { [label]: name }, value: quality.rows }],
      ),
  };
  const counts = Object.entries(COUNTS).map(
    ([count, [name, help]]): Metric<Statistics> => ({
      name: `${prefix}${name}`,
      kind: 'counter',
      help,
      labels: [label, 'input'],
      read: (stats) => of(stats).flatMap((counted) => readings(counted, count as keyof InputQuality, label)),
    }),
  );
  return [rows, ...counts];
}

function readings({ name, quality }: Counted, count: keyof InputQuality, label: string): Reading[] {
  return Object.entries(quality?.inputs ?? {}).flatMap(([input, { [count]: value }]) =>
    value === undefined ? [] : [{ labels: { [label]: name, input }, value }],
  );
}
