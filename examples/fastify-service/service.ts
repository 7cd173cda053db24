import { createRegistry } from 'brezel';
import fastify from 'fastify';

const film = new URL('../../models/sa-fam-a-00.onnx', import.meta.url);

/** Returns a fastify application that answers `POST /predict/MODEL` with a registry of models. */
export async function createService() {
  const registry = await createRegistry({ memoryBudgetBytes: 256 * 2 ** 20 });
  registry.add('film', film);
  await registry.load('film'); // a broken model fails at start, not at the first request

  const app = fastify();
  // Errors of Brezel have a statusCode, which fastify uses: 400 for a row, 404 for a model.
  app.post<{ Params: { model: string }; Body: { text: string } }>('/predict/:model', (request) =>
    registry.predict(request.params.model, request.body, { deadlineMs: 200 }),
  );
  app.get('/ready', async () => ({ models: registry.names() }));
  app.addHook('onClose', () => registry.close({ drainMs: 5000 }));
  return app;
}
