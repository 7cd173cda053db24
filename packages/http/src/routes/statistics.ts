import type { FastifyInstance } from 'fastify';
import type { Served } from '../served.js';

/** Adds `GET /statistics`: the numbers of the server as JSON. `brezel top` reads them. */
export function statisticsRoute(app: FastifyInstance, { statistics }: Served): void {
  app.get('/statistics', { config: { group: 'metrics' } }, async (_, reply) =>
    reply.header('cache-control', 'no-store').send(await statistics()),
  );
}
