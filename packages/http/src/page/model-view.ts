import { readyRoute, valueJson } from '@brezel/oip';
import type { StageDescription } from 'brezel';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { checkExplainedRow } from '../explained-texts.js';
import { decodeRow, parseJson } from '../json.js';
import { disconnectSignal, type Served } from '../served.js';

/**
 * One stage of a version. If the runtime has measured the stage, the view includes the time for one
 * row.
 */
export interface StageView extends StageDescription {
  /**
   * Median and 99th percentile of the time for one row, in nanoseconds, and the number of
   * measurements.
   */
  readonly nanoseconds?: { readonly p50: number; readonly p99: number; readonly samples: number };
}

/** The details of one version that the page shows. */
export interface ModelView {
  readonly version: string;
  readonly engine: string;
  readonly stages: readonly StageView[];
  /** JSON Schema of a row, from which the page makes a form. */
  readonly rowSchema: Readonly<Record<string, unknown>>;
}

interface Params {
  readonly reference: string;
}

/** The page shows at most this many values of a row with their contributions. */
const TOP = 12;

/**
 * Adds the routes that the page calls for one version: its plan, its form, and explanations of
 * rows.
 */
export function modelViewRoutes(app: FastifyInstance, served: Served, enter: onRequestHookHandler): void {
  app.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: served.maxBodyBytes }, (_, body, done) =>
    done(null, body),
  );
  app.get<{ Params: Params }>('/page/models/:reference', { config: { group: 'page' } }, async ({ params }, reply) => {
    const limits = { deadlineMs: undefined, key: undefined, signal: disconnectSignal(reply) };
    const { route, description } = await readyRoute(served.registry, params.reference, limits);
    const view: ModelView = {
      version: route.version,
      engine: description.engine,
      stages: withTimes(await route.stages(), served, route.version),
      rowSchema: description.jsonSchema().row,
    };
    return view;
  });
  app.register(async (explanations) => {
    explanations.addHook('onRequest', enter);
    explanations.post<{ Params: Params; Body: Buffer | undefined }>(
      '/page/contributions/:reference',
      { config: { group: 'predict' } },
      async ({ params, body }, reply) => {
        const limits = { deadlineMs: undefined, key: undefined, signal: disconnectSignal(reply) };
        const { route, description } = await readyRoute(served.registry, params.reference, limits);
        const row = parseJson(body ?? Buffer.alloc(0), served.parse);
        checkExplainedRow(row);
        const why = await route.contributions(decodeRow(row, description.inputs), { top: TOP });
        return reply.type('application/json').send(valueJson(why, true));
      },
    );
  });
}

function withTimes(stages: readonly StageDescription[], { runtime }: Served, version: string): StageView[] {
  const times = runtime?.stats().plans.find(({ name }) => name === version)?.stageLatencies ?? [];
  return stages.map((stage) => {
    const measured = times.find(({ key }) => key === stage.key);
    if (measured === undefined) return stage;
    const { p50, p99, samples } = measured.nanoseconds;
    return { ...stage, nanoseconds: { p50, p99, samples } };
  });
}
