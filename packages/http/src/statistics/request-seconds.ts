import type { MetricValues } from '../processes/add-metrics.js';

/**
 * Upper bounds of the buckets, in seconds. The first bounds are small, because a request with one
 * row takes less than 1 ms.
 */
export const REQUEST_BOUNDS = [
  0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
] as const;

/** The labels of a series. `route` is the pattern of the route. */
interface Labels {
  readonly method: string;
  readonly route: string;
  readonly status: number;
}

interface Series {
  readonly labels: Labels;
  /** The number of requests in each bucket. The last element counts times above all bounds. */
  readonly counts: Float64Array;
  sum: number;
}

/**
 * The histogram `brezel_http_request_seconds`. prom-client collects it like its own metrics. The
 * histogram of prom-client would validate and hash the labels of each request, which takes longer
 * than the prediction of a row.
 */
export class RequestSeconds {
  readonly name = 'brezel_http_request_seconds';
  readonly help = 'Time from the head of a request to the end of its response';
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly #series = new Map<string, Series>();

  /** Returns a function that records the time of a request to a route. */
  recorder(route: string): (method: string, status: number, seconds: number) => void {
    // Most requests to a route have the method and the status of the previous request.
    let last: Series | undefined;
    return (method, status, seconds) => {
      if (last === undefined || last.labels.method !== method || last.labels.status !== status)
        last = this.#of({ method, route, status });
      let bucket = 0;
      while (bucket < REQUEST_BOUNDS.length && seconds > REQUEST_BOUNDS[bucket]!) bucket++;
      last.counts[bucket]!++;
      last.sum += seconds;
    };
  }

  #of(labels: Labels): Series {
    const key = `${labels.method} ${labels.status} ${labels.route}`;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const series = { labels, counts: new Float64Array(REQUEST_BOUNDS.length + 1), sum: 0 };
    this.#series.set(key, series);
    return series;
  }

  /** Deletes all series. prom-client calls this method. */
  reset(): void {
    this.#series.clear();
  }

  /** Returns the values of all series in the form of prom-client, which calls this method. */
  async get(): Promise<MetricValues> {
    const { name, help, type, aggregator } = this;
    const values = Array.from(this.#series.values(), valuesOf).flat();
    return { name, help, type, aggregator, values } as unknown as MetricValues;
  }
}

/** Returns the values of a series. A bucket of Prometheus also counts all smaller times. */
function valuesOf({ labels, counts, sum }: Series): object[] {
  const shared = { ...labels };
  const metricName = 'brezel_http_request_seconds';
  let count = 0;
  const buckets = [...REQUEST_BOUNDS, '+Inf'].map((le, bucket) => {
    count += counts[bucket]!;
    return { metricName: `${metricName}_bucket`, labels: { le, ...shared }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${metricName}_sum`, labels: shared, value: sum },
    { metricName: `${metricName}_count`, labels: shared, value: count },
  ];
}
