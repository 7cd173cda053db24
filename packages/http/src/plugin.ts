import { Concurrency, checkKnownOptions, checkOptionTypes } from '@brezel/oip';
import type { FastifyInstance } from 'fastify';
import { accessOf } from './access.js';
import { addSharedHooks, type RequestHooks, requestHooks } from './hooks.js';
import { changeModels } from './model-changes.js';
import { DEFAULTS, type InferenceOptions, inferenceTypes, optionError, pluginTypes } from './options.js';
import { pageRoutes } from './page/page-routes.js';
import { adminRoutes } from './routes/admin.js';
import { healthRoutes } from './routes/health.js';
import { inferRoutes } from './routes/infer.js';
import { metadataRoutes } from './routes/metadata.js';
import { metricsRoute, NO_METRICS, type ProcessMetrics } from './routes/metrics.js';
import { openApiRoute } from './routes/openapi.js';
import { predictRoutes } from './routes/predict.js';
import { repositoryRoutes } from './routes/repository.js';
import { selectionRoutes } from './routes/selections.js';
import { statisticsRoute } from './routes/statistics.js';
import { namedSelections } from './selections/named-selections.js';
import type { Served } from './served.js';
import { RequestCounts } from './statistics/request-counts.js';
import { serverStatistics } from './statistics/server-statistics.js';

/**
 * A fastify plugin that serves the models of a registry: the Open Inference Protocol v2 below
 * `/v2`, and plain JSON below `/predict`. Its hooks and parsers do not affect other routes.
 *
 * @throws ERR_HTTP_OPTION
 * @example
 * const registry = await createRegistry();
 * registry.add('sentiment', 'model.onnx');
 * const app = fastify();
 * app.register(inferenceRoutes, { registry });
 */
export async function inferenceRoutes(app: FastifyInstance, options: InferenceOptions): Promise<void> {
  await addRoutes(app, options);
}

/** Adds the routes of `inferenceRoutes`. Returns the metrics of this process. */
export async function addRoutes(app: FastifyInstance, options: InferenceOptions): Promise<ProcessMetrics> {
  checkKnownOptions(options, pluginTypes, optionError, 'inferenceRoutes');
  checkOptionTypes(options, inferenceTypes, optionError);
  const { registry, processes } = options;
  const counts = new RequestCounts();
  const selections = namedSelections(options);
  const ownStatistics = () => serverStatistics(registry, counts, selections);
  const served = servedOf(app, options, { counts, selections, ownStatistics });
  const access = accessOf(options);
  const concurrency = new Concurrency(options.concurrency ?? DEFAULTS.concurrency);
  const hooks = requestHooks(concurrency, counts);
  const forget = ({ version }: { readonly version: string }) => counts.forget(version);
  registry.on('removed', forget);
  app.addHook('onClose', async () => void registry.off('removed', forget));
  addSharedHooks(app, access, concurrency);
  app.removeAllContentTypeParsers();
  if (!app.hasRequestDecorator('brezelVersion')) app.decorateRequest('brezelVersion', undefined);

  // Must precede the other routes, because its hook measures only routes that are added later.
  const metrics = options.metrics === false ? NO_METRICS : await metricsRoute(app, options);
  app.addHook('onClose', async () => metrics.stop());
  processes?.join({ statistics: ownStatistics, metrics: metrics.values });
  healthRoutes(app, served);
  openApiRoute(app, options, served.maxExplainedRows, selections);
  statisticsRoute(app, served);
  if (options.page === true) await app.register(pageRoutes, { served, access, enter: hooks.enter });
  await app.register(async (predictions) => {
    predictions.addHook('onRequest', hooks.enter);
    predictRoutes(predictions, served);
  });
  if (selections.size > 0) await app.register(async (routes) => selectionRoutes(routes, served, hooks));
  await app.register(async (routes) => protocolRoutes(routes, served, hooks));
  return metrics;
}

/** Adds the routes of the Open Inference Protocol and of `/admin`. */
async function protocolRoutes(app: FastifyInstance, served: Served, { enter }: RequestHooks): Promise<void> {
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: served.maxBodyBytes }, (_, body, done) =>
    done(null, body),
  );
  metadataRoutes(app, served);
  repositoryRoutes(app, served);
  adminRoutes(app, served);
  await app.register(async (predictions) => {
    predictions.addHook('onRequest', enter);
    inferRoutes(predictions, served);
  });
}

/** The parts of a server that are not options, and the statistics of this process. */
interface OwnParts extends Pick<Served, 'counts' | 'selections'> {
  readonly ownStatistics: Served['statistics'];
}

/** Returns the parts that all routes of a server share. */
function servedOf(
  app: FastifyInstance,
  options: InferenceOptions,
  { counts, selections, ownStatistics }: OwnParts,
): Served {
  const { registry, runtime, processes, maxBodyBytes = app.initialConfig.bodyLimit!, isReady = () => true } = options;
  return {
    registry,
    runtime,
    maxRows: options.maxRows ?? DEFAULTS.maxRows,
    maxExplainedRows: options.maxExplainedRows ?? DEFAULTS.maxExplainedRows,
    maxBodyBytes,
    parse: parserOf(app),
    isReady,
    selections,
    counts,
    change: (change) => (processes === undefined ? changeModels(registry, change) : processes.change(change)),
    statistics: () => (processes === undefined ? ownStatistics() : processes.statistics()),
  };
}

/**
 * Returns fastify's parser, which rejects `__proto__` and `constructor.prototype` in bodies. It
 * searches the text with regular expressions, which takes a sixth of the time of JSON.parse. A text
 * without these names and without escapes needs no such search.
 */
function parserOf(app: FastifyInstance): Served['parse'] {
  const parse = app.getDefaultJsonParser('error', 'error');
  return (text) => {
    if (!SUSPECT.some((part) => text.includes(part)))
      try {
        return JSON.parse(text);
      } catch {
        // fastify's parser reports the error
      }
    let result: unknown;
    parse(undefined as never, text, (error, value) => {
      if (error) throw error;
      result = value;
    });
    return result;
  };
}

/** A text that contains one of these parts may have a rejected name, or start with a BOM. */
const SUSPECT = ['__proto__', 'constructor', '\\', '\uFEFF'];
