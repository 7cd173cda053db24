import { checkLoadParameters, checkModelName, repositoryIndex } from '@brezel/oip';
import type { FastifyInstance } from 'fastify';
import { httpError } from '../errors.js';
import { parseJson } from '../json.js';
import type { Served } from '../served.js';

interface Named {
  readonly name: string;
}

/**
 * Adds the model repository extension of Triton: an index of all versions, load and unload. A
 * server without a token rejects load and unload. Requests name models, never files.
 */
export function repositoryRoutes(app: FastifyInstance, served: Served): void {
  const { registry } = served;
  app.post<{ Body: Buffer | undefined }>('/v2/repository/index', async ({ body }) => {
    const { ready } = optionsOf(body, served);
    return repositoryIndex(registry, ready === true);
  });

  const config = { group: 'control' } as const;
  const path = (verb: string) => `/v2/repository/models/:name/${verb}`;
  app.post<{ Params: Named; Body: Buffer | undefined }>(path('load'), { config }, async ({ params, body }) => {
    const { parameters } = optionsOf(body, served);
    checkLoadParameters(Object.keys(parameters ?? {}));
    await served.change({ action: 'load', reference: params.name });
    return {};
  });
  app.post<{ Params: Named }>(path('unload'), { config }, async ({ params: { name } }) => {
    checkModelName(name);
    await served.change({ action: 'unload', name });
    return {};
  });
}

/**
 * Reads the optional JSON object of a request.
 * @throws ERR_HTTP_JSON for a body that is not JSON; ERR_HTTP_REQUEST for JSON that is not an
 * object.
 */
function optionsOf(body: Buffer | undefined, { parse }: Served): Readonly<Record<string, unknown>> {
  if (body === undefined || body.length === 0) return {};
  const options = parseJson(body, parse) as Readonly<Record<string, unknown>> | null;
  const isObject = options !== null && typeof options === 'object' && !Array.isArray(options);
  const { parameters } = isObject ? options : {};
  if (isObject && (parameters === undefined || (typeof parameters === 'object' && parameters !== null))) return options;
  throw httpError('ERR_HTTP_REQUEST', { expected: 'an object, with parameters as an object', received: 'other JSON' });
}
