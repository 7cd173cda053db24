import { Concurrency, checkKnownOptions, checkOptionTypes } from '@brezel/oip';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { accessOf } from './access.js';
import { hidingErrors, loggedResponse } from './error-response.js';
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
 * Responses with these statuses have the header Retry-After, because a later attempt can succeed.
 */
const RETRY: ReadonlySet<number> = new Set([429, 503]);

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
  const { registry, maxBodyBytes = app.initialConfig.bodyLimit!, isReady = () => true } = options;
  const { maxRows = DEFAULTS.maxRows, concurrency: most = DEFAULTS.concurrency, processes } = options;
  const { maxExplainedRows = DEFAULTS.maxExplainedRows } = options;
  const concurrency = new Concurrency(most);
  const counts = new RequestCounts();
  const selections = namedSelections(options);
  const ownStatistics = () => serverStatistics(registry, counts, selections);
  const served: Served = {
    registry,
    maxRows,
    maxExplainedRows,
    maxBodyBytes,
    parse: parserOf(app),
    isReady,
    runtime: options.runtime,
    selections,
    counts,
    change: (change) => (processes === undefined ? changeModels(registry, change) : processes.change(change)),
    statistics: () => (processes === undefined ? ownStatistics() : processes.statistics()),
  };
  const access = accessOf(options);
  // Hooks that run for each request call `done`. A promise would take more time than the hook
  // itself.
  const enter = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
    counts.start();
    // If the client disconnects before the response, fastify runs no `onResponse`, but `close`
    // occurs.
    reply.raw.once('close', () => {
      concurrency.leave(request);
      counts.end(request, reply);
    });
    concurrency.enter(request);
    done();
  };
  const admit = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
    reply.raw.once('close', () => concurrency.leave(request));
    concurrency.enter(request);
    done();
  };
  const forget = ({ version }: { readonly version: string }) => counts.forget(version);
  registry.on('removed', forget);
  app.addHook('onClose', async () => void registry.off('removed', forget));

  app.addHook('onRoute', (route) => {
    route.handler = hidingErrors(route.handler);
  });
  app.removeAllContentTypeParsers();
  if (!app.hasRequestDecorator('brezelVersion')) app.decorateRequest('brezelVersion', undefined);
  app.addHook('onRequest', (request, _, done) => {
    access.check(request);
    done();
  });
  app.addHook('onResponse', (request, _, done) => {
    concurrency.leave(request);
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    const { status, body } = loggedResponse(error, request.log);
    if (RETRY.has(status)) reply.header('retry-after', '1');
    if (status === 401) reply.header('www-authenticate', 'Bearer');
    return reply.code(status).type('application/json').send(body);
  });

  // Must precede the other routes, because its hook measures only routes that are added later.
  const metrics = options.metrics === false ? NO_METRICS : await metricsRoute(app, options);
  app.addHook('onClose', async () => metrics.stop());
  processes?.join({ statistics: ownStatistics, metrics: metrics.values });
  healthRoutes(app, served);
  openApiRoute(app, options, maxExplainedRows, selections);
  statisticsRoute(app, served);
  if (options.page === true) await app.register(pageRoutes, { served, access, enter });
  await app.register(async (predictions) => {
    predictions.addHook('onRequest', enter);
    predictRoutes(predictions, served);
  });
  if (selections.size > 0) await app.register(async (routes) => selectionRoutes(routes, served, { enter, admit }));
  await app.register(async (tensors) => {
    tensors.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_, body, done) =>
      done(null, body),
    );
    metadataRoutes(tensors, served);
    repositoryRoutes(tensors, served);
    adminRoutes(tensors, served);
    await tensors.register(async (predictions) => {
      predictions.addHook('onRequest', enter);
      inferRoutes(predictions, served);
    });
  });
  return metrics;
}

/** Returns fastify's parser, which rejects `__proto__` and `constructor.prototype` in bodies. */
function parserOf(app: FastifyInstance): Served['parse'] {
  const parse = app.getDefaultJsonParser('error', 'error');
  return (text) => {
    let result: unknown;
    parse(undefined as never, text, (error, value) => {
      if (error) throw error;
      result = value;
    });
    return result;
  };
}
