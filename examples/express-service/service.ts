import { BrezelError, createRegistry } from 'brezel';
import express from 'express';

const film = new URL('../../models/sa-fam-a-00.onnx', import.meta.url);

/** Returns an express application that answers `POST /predict/MODEL`, and its registry. */
export async function createService() {
  const registry = await createRegistry({ memoryBudgetBytes: 256 * 2 ** 20 });
  registry.add('film', film);
  await registry.load('film'); // a broken model fails at start, not at the first request

  const app = express();
  app.use(express.json({ limit: '100kb' }));
  app.post('/predict/:model', async (request, response) => {
    const { model } = request.params;
    response.json(await registry.predict(model, request.body, { deadlineMs: 200 }));
  });
  app.use(answerError);
  return { app, registry };
}

// express recognizes a handler of errors by its four parameters.
/** Answers an error of Brezel in the problem format of RFC 9457. */
const answerError: express.ErrorRequestHandler = (error, _request, response, next) => {
  if (!(error instanceof BrezelError)) return next(error);
  const { type, statusCode: status, message: detail, details } = error;
  response.status(status).type('application/problem+json');
  response.json({ type, status, detail, row: details.row, input: details.input });
};
