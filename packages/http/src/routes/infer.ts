import type { FastifyInstance, FastifyReply } from 'fastify';
import { httpError } from '../errors.js';
import { parseJson } from '../json.js';
import { disconnectSignal, readyRoute, type Served } from '../served.js';
import { parseRequest } from '../tensors/request.js';
import { type InferenceResponse, requestedOutputs, responseOfAnswers } from '../tensors/response.js';
import { rowsOf } from '../tensors/rows.js';
import { type ModelParams, modelPaths, referenceOf } from './metadata.js';

/**
 * A header of Triton's binary extension: the length of the JSON part of the body in bytes. The
 * binary tensors follow the JSON.
 */
const JSON_LENGTH = 'inference-header-content-length';
const NO_BYTES = new Uint8Array();

/**
 * Adds the routes for inference with tensors. They accept any content type, because many clients
 * send none.
 */
export function inferRoutes(app: FastifyInstance, served: Served): void {
  for (const path of modelPaths('/infer'))
    app.post<{ Params: ModelParams; Body: Buffer | undefined }>(path, async (httpRequest, reply) => {
      const { params, body, headers } = httpRequest;
      const [json, binary] = split(body ?? NO_BYTES, headers[JSON_LENGTH]);
      const request = parseRequest(parseJson(json, served.parse), binary);
      const limits = { ...request, signal: disconnectSignal(reply) };
      const { route, description, options } = await readyRoute(served, referenceOf(params), limits);
      served.counts.answeredBy(httpRequest, route.version);
      const wanted = requestedOutputs(request, description.outputs);
      const rows = rowsOf(request.inputs, description.inputs, served.maxRows);
      const [only, ...others] = rows;
      const answers =
        only !== undefined && others.length === 0
          ? [await route.predict(only, options)]
          : await route.predictBatch(rows, options);
      return send(reply, responseOfAnswers(route.version, request.id, wanted, answers));
    });
}

/** Splits a body into the JSON and the binary tensors. @throws ERR_HTTP_BINARY */
function split(body: Uint8Array, header: string | string[] | undefined): readonly [Uint8Array, Uint8Array] {
  if (header === undefined) return [body, NO_BYTES];
  const length = typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : Number.NaN;
  if (length <= body.length) return [body.subarray(0, length), body.subarray(length)];
  throw httpError('ERR_HTTP_BINARY', {
    expected: `a JSON length up to ${body.length}, the length of the body`,
    received: String(header).slice(0, 40),
    at: 'Inference-Header-Content-Length',
  });
}

function send(reply: FastifyReply, { json, binary }: InferenceResponse): FastifyReply {
  if (binary.length === 0) return reply.type('application/json').send(json);
  const head = Buffer.from(json);
  return reply
    .type('application/octet-stream')
    .header('Inference-Header-Content-Length', head.length)
    .send(Buffer.concat([head, ...binary]));
}
