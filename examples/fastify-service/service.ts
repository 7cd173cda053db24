import { createRegistry } from 'brezel';
import fastify from 'fastify';
// brezel types film=../models/sa-fam-a-00.onnx -o models.d.ts
import type { FilmRow, Models } from './models.js';

const film = new URL('../../models/sa-fam-a-00.onnx', import.meta.url);

/** Returns a fastify application that answers `POST /predict/film` with a typed registry. */
export async function createService() {
  const registry = (await createRegistry({ memoryBudgetBytes: 256 * 2 ** 20 })).typed<Models>();
  registry.add('film', film);

  // fastify rejects wrong rows by the schema of the model, and does not change rows.
  const app = fastify({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false } } });

  const { jsonSchema } = await registry.route('film').load(); // a broken model fails at start
  const { row: body, answer } = jsonSchema({ target: 'draft-07' });
  const schema = { body, response: { 200: answer } };
  // Errors of Brezel have a statusCode, which fastify uses.
  app.post<{ Body: FilmRow }>('/predict/film', { schema }, (request) =>
    registry.predict('film', request.body, { deadlineMs: 200 }),
  );
  app.get('/ready', async () => ({ models: registry.names() }));
  app.addHook('onClose', () => registry.close({ drainMs: 5000 }));
  return app;
}
