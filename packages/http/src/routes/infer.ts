import { answerTensors, readyRoute, splitBody } from '@brezel/oip';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { parseJson } from '../json.js';
import { disconnectSignal, type Served } from '../served.js';
import { type JsonRequest, parseRequest } from '../tensors/request.js';
import { type InferenceResponse, responseOfTensors } from '../tensors/response.js';
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
      const [json, binary] = splitBody(body ?? NO_BYTES, headers[JSON_LENGTH]);
      const request = parseRequest(parseJson(json, served.parse), binary, served.maxRows);
      const limits = { ...request, signal: disconnectSignal(reply) };
      const ready = await readyRoute(served.registry, referenceOf(params), limits);
      const { version } = ready.route;
      served.counts.answeredBy(httpRequest, version);
      const tensors = await answerTensors(ready, request, served.maxRows, isBinary(request));
      return send(reply, responseOfTensors(version, request, tensors));
    });
}

/** Returns whether the response contains all outputs as bytes. */
const isBinary = ({ outputs, defaultForm }: JsonRequest): boolean =>
  outputs === undefined ? defaultForm === 'binary' : outputs.every(({ form }) => form === 'binary');

function send(reply: FastifyReply, { json, binary }: InferenceResponse): FastifyReply {
  if (binary.length === 0) return reply.type('application/json').send(json);
  const head = Buffer.from(json);
  return reply
    .type('application/octet-stream')
    .header('Inference-Header-Content-Length', head.length)
    .send(Buffer.concat([head, ...binary]));
}
