import type { FastifyInstance, onResponseHookHandler } from 'fastify';
import type { Histogram, Registry } from 'prom-client';
import { httpError } from '../errors.js';
import type { InferenceOptions } from '../options.js';
import type { MetricValues } from '../processes/add-metrics.js';
import { REQUEST_BOUNDS, RequestSeconds } from '../statistics/request-seconds.js';

type PromClient = typeof import('prom-client');
type Adapter = typeof import('@brezel/prom-client');

/** A call of a gRPC server, as `onCall` of @brezel/grpc receives it. */
export interface GrpcCallTime {
  /** The name of the method. */
  readonly method: string;
  /** The name of the gRPC status. */
  readonly status: string;
  readonly milliseconds: number;
}

/** The metrics of one process. */
export interface ProcessMetrics {
  /** Returns all metrics with their values, or undefined without the optional packages. */
  readonly values: () => Promise<readonly MetricValues[] | undefined>;
  /** Records the time of a call of a gRPC server of the same process. */
  readonly recordCall: (call: GrpcCallTime) => void;
  /** Stops the collection of metrics. */
  readonly stop: () => void;
}

/** The functions of a process that collects no metrics. */
export const NO_METRICS: ProcessMetrics = {
  values: async () => undefined,
  recordCall: () => undefined,
  stop: () => undefined,
};

/**
 * Adds `/metrics` for Prometheus, with the metrics of the process, the runtime, the registry, the
 * selections, and the requests of this plugin. Without the optional packages, the response says
 * what to install.
 *
 * @returns the metrics of this process. Call `stop` when the server closes.
 */
export async function metricsRoute(app: FastifyInstance, options: InferenceOptions): Promise<ProcessMetrics> {
  const packages = await loadPackages();
  if (packages === undefined) {
    app.get('/metrics', { config: { group: 'metrics' } }, async () => {
      throw httpError('ERR_HTTP_METRICS');
    });
    return NO_METRICS;
  }
  const [prom, adapter] = packages;
  const register = new prom.Registry();
  prom.collectDefaultMetrics({ register });
  const collected = [adapter.collectRegistryMetrics(options.registry, { registry: register })];
  if (options.runtime !== undefined)
    collected.push(adapter.collectMetrics(options.runtime, { registry: register, predictions: false }));
  const { selections = {} } = options;
  if (Object.keys(selections).length > 0)
    collected.push(adapter.collectSelectionMetrics(selections, { registry: register }));
  const seconds = new RequestSeconds();
  // prom-client calls only the methods that this class has.
  register.registerMetric(seconds as unknown as Histogram);
  observeRequests(app, seconds);
  app.get('/metrics', { config: { group: 'metrics' } }, async (_, reply) =>
    reply.type(register.contentType).send(await (options.processes ?? register).metrics()),
  );
  let callSeconds: Histogram<'method' | 'status'> | undefined;
  return {
    recordCall({ method, status, milliseconds }) {
      callSeconds ??= grpcSeconds(prom, register); // without gRPC, the metric does not exist
      callSeconds.observe({ method, status }, milliseconds / 1000);
    },
    values: async () => (await register.getMetricsAsJSON()) as unknown as readonly MetricValues[],
    stop: () => {
      for (const metrics of collected) metrics.stop();
      register.clear();
    },
  };
}

const grpcSeconds = ({ Histogram }: PromClient, register: Registry) =>
  new Histogram({
    name: 'brezel_grpc_request_seconds',
    help: 'Time from the head of a gRPC call to its end; a stream is one call',
    labelNames: ['method', 'status'] as const,
    buckets: [...REQUEST_BOUNDS],
    registers: [register],
  });

/**
 * Records the time of each request. The label is the pattern of the route and not the path, because
 * clients can send any number of different paths.
 */
function observeRequests(app: FastifyInstance, seconds: RequestSeconds): void {
  app.addHook('onRoute', (route) => {
    const record = seconds.recorder(route.url);
    const hook: onResponseHookHandler = ({ method }, { statusCode, elapsedTime }, done) => {
      record(method, statusCode, elapsedTime / 1000);
      done();
    };
    route.onResponse = [hook, ...[route.onResponse ?? []].flat()];
  });
}

/** Returns the optional packages, or undefined if one of them is not installed. */
async function loadPackages(): Promise<[PromClient, Adapter] | undefined> {
  try {
    const prom = await import('prom-client');
    return [prom.default ?? prom, await import('@brezel/prom-client')];
  } catch (error) {
    if (MISSING.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

const MISSING: ReadonlySet<string> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);
