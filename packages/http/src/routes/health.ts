import type { FastifyInstance } from 'fastify';
import type { Served } from '../served.js';

/** Adds `/v2/health/live` and `/v2/health/ready`. Probes need no token. */
export function healthRoutes(app: FastifyInstance, { isReady }: Served): void {
  const config = { group: 'health' } as const;
  // The Markdown and the YAML of the protocol use different names for this field, so the response
  // has both.
  app.get('/v2/health/live', { config }, async () => ({ live: true }));
  app.get('/v2/health/ready', { config }, async (_, reply) => {
    const ready = isReady();
    return reply.code(ready ? 200 : 503).send({ ready, live: true });
  });
}
