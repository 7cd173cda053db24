import type { ServedVersion, ServerStatistics } from '@brezel/http';
import { columns, printable, printBytes } from './table.js';

type Http = Pick<typeof import('@brezel/http'), 'timesSince' | 'percentileMs'>;

/** Earlier statistics of the same server, and the seconds since then. */
export interface EarlierReading {
  readonly statistics: ServerStatistics;
  readonly seconds: number;
}

const HEADINGS = ['version', 'state', 'requests', 'per second', 'p50 ms', 'p99 ms', 'failures', 'parameters'];
const ALIGNMENTS = ['left', 'left', 'right', 'right', 'right', 'right', 'right', 'right'] as const;

/**
 * Formats the numbers of a server. With an earlier reading, rates and times cover the requests
 * since this reading. Without an earlier reading, times cover all requests, and rates are missing.
 */
export function topText(statistics: ServerStatistics, earlier: EarlierReading | undefined, http: Http): string {
  const { requests, versions, aliases } = statistics;
  const before = new Map(earlier?.statistics.versions.map((version) => [version.version, version]));
  const times = http.timesSince(requests.times, earlier?.statistics.requests.times);
  const rate = (number: number) => (earlier === undefined ? '-' : digits(number / earlier.seconds));
  const row = (version: ServedVersion) => {
    const since = http.timesSince(version.times, before.get(version.version)?.times);
    return [
      printable(version.version),
      version.state,
      `${version.requests}`,
      rate(since.count),
      digits(http.percentileMs(since, 0.5)),
      digits(http.percentileMs(since, 0.99)),
      `${version.failures}`,
      printBytes(version.parameterBytes),
    ];
  };
  return [
    `requests    ${requests.times.count}, ${rate(times.count)} per second, ${requests.inFlight} in flight, ${requests.failed} failed`,
    `latency     p50 ${digits(http.percentileMs(times, 0.5))} ms, p99 ${digits(http.percentileMs(times, 0.99))} ms`,
    `parameters  ${parametersText(statistics)}`,
    `processes   ${processesText(statistics)}`,
    '',
    columns([HEADINGS, ...versions.map(row)], ALIGNMENTS),
    '',
    ...(aliases.length === 0 ? [] : [columns(aliases.map(aliasCells)), '']),
  ].join('\n');
}

function parametersText({ parameters: { bytes, unsharedBytes } }: ServerStatistics): string {
  const saved = unsharedBytes - bytes;
  return `${printBytes(bytes)} in memory${saved > 0 ? `, sharing saves ${printBytes(saved)}` : ''}`;
}

function processesText({ processes }: ServerStatistics): string {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const rss = sum(processes.map(({ rssBytes }) => rssBytes));
  const pss = processes.flatMap(({ pssBytes }) => pssBytes ?? []);
  const shared = pss.length === processes.length ? `, PSS ${printBytes(sum(pss))}` : '';
  const workers = processes.filter(({ role }) => role === undefined).length;
  const number = workers === processes.length ? `${workers}` : `${workers} and a primary`;
  return `${number}, RSS ${printBytes(rss)}${shared}`;
}

const aliasCells = ({ alias, version, canary }: ServerStatistics['aliases'][number]): string[] => [
  printable(alias),
  `-> ${printable(version)}`,
  canary === undefined ? '' : `${canary.percent} % -> ${printable(canary.version)}`,
];

/**
 * Formats a number: from 1000 as an integer, otherwise with three digits. Undefined becomes a dash.
 */
const digits = (value: number | undefined): string =>
  value === undefined ? '-' : value >= 1000 ? `${Math.round(value)}` : `${Number(value.toPrecision(3))}`;
