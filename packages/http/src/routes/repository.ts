import type { FastifyInstance } from 'fastify';
import { httpError } from '../errors.js';
import { parseJson } from '../json.js';
import type { Served } from '../served.js';

interface Named {
  readonly name: string;
}

/** One version in the index of the repository. */
interface IndexEntry {
  readonly name: string;
  readonly version: string;
  readonly state: 'READY' | 'UNAVAILABLE';
  readonly reason: string;
}

/**
 * Adds the model repository extension of Triton: an index of all versions, load and unload. Load
 * and unload exist only if the server has a token. Requests name models, never files.
 */
export function repositoryRoutes(app: FastifyInstance, served: Served): void {
  const { registry } = served;
  app.post<{ Body: Buffer | undefined }>('/v2/repository/index', async ({ body }) => {
    const { ready } = optionsOf(body, served);
    const all = registry.names().flatMap((name) => indexOf(served, name));
    return ready === true ? all.filter(({ state }) => state === 'READY') : all;
  });

  const config = { group: 'control' } as const;
  const path = (verb: string) => `/v2/repository/models/:name/${verb}`;
  app.post<{ Params: Named; Body: Buffer | undefined }>(path('load'), { config }, async ({ params, body }) => {
    const { parameters } = optionsOf(body, served);
    if (parameters !== undefined && Object.keys(parameters as object).length > 0)
      throw httpError('ERR_HTTP_REQUEST', {
        expected: 'no parameters',
        received: Object.keys(parameters as object)
          .join(', ')
          .slice(0, 100),
        hint: 'a request names a model that the server knows; it cannot bring a file or a configuration',
      });
    await registry.load(params.name);
    return {};
  });
  app.post<{ Params: Named }>(path('unload'), { config }, async ({ params: { name } }) => {
    const versions = registry.model(name)?.versions ?? [registry.resolve(name)];
    const references = versions.map((version) => `${name}@${version}`);
    for (const reference of references) registry.unload(reference);
    const loaded = references.filter((reference) => registry.route(reference).description !== undefined);
    if (loaded.length > 0) throw httpError('ERR_HTTP_IN_USE', { received: loaded.join(', ') });
    return {};
  });
}

function indexOf({ registry }: Served, name: string): IndexEntry[] {
  return (registry.model(name)?.versions ?? []).map((version) => {
    const isLoaded = registry.route(`${name}@${version}`).description !== undefined;
    const state = isLoaded ? 'READY' : 'UNAVAILABLE';
    return { name, version, state, reason: isLoaded ? '' : 'not loaded; the next request loads it' };
  });
}

/** Reads the optional JSON object of a request. @throws ERR_HTTP_JSON, ERR_HTTP_REQUEST */
function optionsOf(body: Buffer | undefined, { parse }: Served): Readonly<Record<string, unknown>> {
  if (body === undefined || body.length === 0) return {};
  const options = parseJson(body, parse) as Readonly<Record<string, unknown>> | null;
  const isObject = options !== null && typeof options === 'object' && !Array.isArray(options);
  const { parameters } = isObject ? options : {};
  if (isObject && (parameters === undefined || (typeof parameters === 'object' && parameters !== null))) return options;
  throw httpError('ERR_HTTP_REQUEST', { expected: 'an object, with parameters as an object', received: 'other JSON' });
}
