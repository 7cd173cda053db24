import { Histogram, Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { addMetrics } from '../processes/add-metrics.js';
import { REQUEST_BOUNDS, RequestSeconds } from './request-seconds.js';

/** Requests with their route, method, status and time in seconds. */
const REQUESTS = [
  ['/predict/:reference', 'POST', 200, 0.0001],
  ['/predict/:reference', 'POST', 200, 0.0002], // equal to a bound
  ['/predict/:reference', 'POST', 400, 0.003],
  ['/predict/:reference', 'POST', 200, 11],
  ['/v2/models/:name', 'GET', 200, 0.5],
  ['/v2/models/:name', 'HEAD', 200, 0],
] as const;

/** Records the requests with prom-client's histogram, and with ours. */
function both(): readonly [theirs: Registry, ours: Registry] {
  const [theirs, ours] = [new Registry(), new Registry()];
  const { name, help } = new RequestSeconds();
  const histogram = new Histogram({
    name,
    help,
    labelNames: ['method', 'route', 'status'],
    buckets: [...REQUEST_BOUNDS],
    registers: [theirs],
  });
  const seconds = new RequestSeconds();
  ours.registerMetric(seconds as unknown as Histogram);
  const recorders = new Map<string, ReturnType<RequestSeconds['recorder']>>();
  for (const [route, method, status, time] of REQUESTS) {
    histogram.observe({ method, route, status }, time);
    const record = recorders.get(route) ?? seconds.recorder(route);
    recorders.set(route, record);
    record(method, status, time);
  }
  return [theirs, ours];
}

/** The lines of a text, sorted, with the labels of each line sorted. */
const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join()}}`))
    .sort();

describe('the histogram of request times', () => {
  test('writes the text of the histogram of prom-client', async () => {
    const [theirs, ours] = both();
    expect(linesOf(await ours.metrics())).toEqual(linesOf(await theirs.metrics()));
  });

  test('is added up with the histograms of other processes', async () => {
    const [theirs, ours] = both();
    const values = async (registry: Registry) => (await registry.getMetricsAsJSON()) as never;
    const [own, other] = [await values(ours), await values(theirs)];
    const twice = await addMetrics([own, own]);
    const expected = await addMetrics([other, other]);
    const sorted = (all: typeof twice) => all[0]!.values.map((value) => JSON.stringify(sortedFields(value))).sort();
    expect(sorted(twice)).toEqual(sorted(expected));
  });
});

/** Returns a value with the fields of its labels in alphabetical order. */
const sortedFields = ({ labels, value, ...rest }: { labels: object; value: number }) => ({
  labels: Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))),
  value,
  metricName: (rest as { metricName?: string }).metricName,
});
