import { modelMetadata, nameOf, readyRoute } from '@brezel/oip';
import type { FastifyInstance } from 'fastify';
import { disconnectSignal, type Served } from '../served.js';
import { VERSION } from '../version.js';

/** The parameters in the path of a route for one model. */
export interface ModelParams {
  readonly name: string;
  readonly version?: string;
}

/** Returns the reference to a model in a path: `NAME`, `NAME:ALIAS`, or `NAME@VERSION`. */
export const referenceOf = ({ name, version }: ModelParams): string =>
  version === undefined ? name : `${name}@${version}`;

/** Returns the paths of a route of one model, with and without a version. */
export const modelPaths = (end: string): readonly string[] => [
  `/v2/models/:name${end}`,
  `/v2/models/:name/versions/:version${end}`,
];

/** The extensions of the protocol that this server supports, with Triton's names for them. */
const EXTENSIONS = ['binary_tensor_data', 'model_repository'];

/**
 * Adds the routes for the metadata of the server and its models, and for the readiness of a model.
 */
export function metadataRoutes(app: FastifyInstance, served: Served): void {
  const server = { name: 'brezel', version: VERSION, extensions: EXTENSIONS };
  for (const path of ['/v2', '/v2/']) app.get(path, async () => server);

  for (const path of modelPaths(''))
    app.get<{ Params: ModelParams }>(path, async ({ params }, reply) => {
      const signal = disconnectSignal(reply);
      const limits = { deadlineMs: undefined, key: undefined, signal };
      return modelMetadata(served.registry, await readyRoute(served.registry, referenceOf(params), limits));
    });

  for (const path of modelPaths('/ready'))
    app.get<{ Params: ModelParams }>(path, async ({ params }, reply) => {
      const { version, description } = served.registry.route(referenceOf(params));
      const ready = description !== undefined;
      return reply.code(ready ? 200 : 503).send({ name: nameOf(version), ready });
    });
}
