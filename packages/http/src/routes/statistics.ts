import type { FastifyInstance } from 'fastify';
import type { Served } from '../served.js';

/**
 * Adds `GET /statistics`: counts, times and memory of the server as JSON. The command `brezel top`
 * reads them.
 */
export function statisticsRoute(app: FastifyInstance, { statistics }: Served): void {
  app.get('/statistics', { config: { group: 'metrics' } }, async (_, reply) =>
    reply.header('cache-control', 'no-store').send(await statistics()),
  );
}
