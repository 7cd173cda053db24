import { BrezelError } from 'brezel';

/** An error that the client can fix in its request, or the user in the options of the server. */
export class HttpError extends BrezelError {}

export const httpErrors = {
  ERR_HTTP_JSON: {
    statusCode: 400,
    message: 'the body is not valid JSON in UTF-8',
    hint: 'send one JSON value; write NaN and infinities as "NaN", "Infinity" and "-Infinity"',
  },
  ERR_HTTP_REQUEST: {
    statusCode: 400,
    message: 'the request does not follow the protocol',
    hint: 'GET /openapi.json describes the requests of this server',
  },
  ERR_HTTP_TENSOR: {
    statusCode: 400,
    message: 'a tensor does not fit the model',
    hint: 'GET /v2/models/NAME lists names, datatypes and shapes; the first axis holds the rows',
  },
  ERR_HTTP_BINARY: {
    statusCode: 400,
    message: 'the binary tensors do not fit the body',
    hint: 'Inference-Header-Content-Length is the length of the JSON; binary_data_size is the length of one tensor',
  },
  ERR_HTTP_BODY: {
    statusCode: 413,
    message: 'the body is too large',
    hint: 'send fewer rows at once, stream rows as NDJSON, or increase maxBodyBytes (--max-body)',
  },
  ERR_HTTP_ROWS: {
    statusCode: 413,
    message: 'the request has too many rows',
    hint: 'send fewer rows at once, stream rows as NDJSON, or increase maxRows (--max-rows)',
  },
  ERR_HTTP_EXPLANATION: {
    statusCode: 413,
    message: 'the texts of the request are too long for explanations',
    hint: 'omit contributions from the query, shorten the texts, or explain the rows with runtime.contributions',
  },
  ERR_HTTP_TYPE: {
    statusCode: 415,
    message: 'unsupported content type',
    hint: 'send application/json; /predict also accepts application/x-ndjson, and /infer application/octet-stream',
  },
  ERR_HTTP_BUSY: {
    statusCode: 429,
    message: 'the server has reached its limit of requests in flight',
    hint: 'try again later, or increase concurrency (--concurrency)',
  },
  ERR_HTTP_TOKEN: {
    statusCode: 401,
    message: 'the token is missing or wrong',
    hint: 'send the header "Authorization: Bearer TOKEN"',
  },
  ERR_HTTP_CONTROL: {
    statusCode: 403,
    message: 'control of models over HTTP is disabled',
    hint: 'start the server with a token (--token-file)',
  },
  ERR_HTTP_ORIGIN: {
    statusCode: 403,
    message: 'the Host or the Origin of the request is not allowed',
    hint: 'use the address that the server prints, or name the host in the option hosts',
  },
  ERR_HTTP_IN_USE: {
    statusCode: 409,
    message: 'the model cannot be unloaded now',
    hint: 'it answers requests, or the server has no file to load it again: try again later',
  },
  ERR_HTTP_ROUTE: {
    statusCode: 404,
    message: 'unknown route',
    hint: 'GET /openapi.json lists the routes of this server',
  },
  ERR_HTTP_SELECTION: {
    statusCode: 404,
    message: 'unknown selection',
    hint: 'GET /openapi.json lists the selections of this server',
  },
  ERR_HTTP_QUERY: {
    statusCode: 404,
    message: 'unknown query',
    hint: 'send feedback to the server that predicted, within feedbackMs, with the query of the response',
  },
  ERR_HTTP_PATH: {
    statusCode: 414,
    message: 'a name in the path of the request is too long',
    hint: 'a name or a query has at most 512 characters',
  },
  ERR_HTTP_METRICS: {
    statusCode: 404,
    message: 'metrics are not available',
    hint: 'run: npm install @brezel/prom-client prom-client, or install the tarball of @brezel/prom-client until it is on npm',
  },
  ERR_HTTP_TLS: {
    message: 'the certificate or the private key of the server is invalid',
    hint: 'pass files in PEM that belong together: the certificate first, then its chain, and the private key',
  },
  ERR_HTTP_OPTION: {
    message: 'invalid option of the server',
    hint: 'see the README of @brezel/http',
  },
} as const;

/** Creates an error of this package. */
export const httpError = (
  code: keyof typeof httpErrors,
  details: ConstructorParameters<typeof BrezelError>[2] = {},
): HttpError => new HttpError(code, httpErrors[code], details);
