import type { FastifyInstance } from 'fastify';
import type { Served } from '../served.js';

/** `/v2/health/live` and `/v2/health/ready`. Probes need no token. */
export function healthRoutes(app: FastifyInstance, { isReady }: Served): void {
  const config = { group: 'health' } as const;
  // The published Markdown and YAML differ in the name of the field, so both are answered.
  app.get('/v2/health/live', { config }, async () => ({ live: true }));
  app.get('/v2/health/ready', { config }, async (_, reply) => {
    const ready = isReady();
    return reply.code(ready ? 200 : 503).send({ ready, live: true });
  });
}
