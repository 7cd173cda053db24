import type { Readable } from 'node:stream';
import { readyRoute, tooManyRows } from '@brezel/oip';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { httpError } from '../errors.js';
import { checkExplainedRow, checkExplainedRows } from '../explained-texts.js';
import { decodeRow, parseJson } from '../json.js';
import { jsonAnswers } from '../json-answers.js';
import { answerLines } from '../ndjson.js';
import { MOST_CONTRIBUTIONS } from '../options.js';
import { disconnectSignal, type Served } from '../served.js';
import { deadlineOf, parameterOf } from './query-parameters.js';

const STREAMS: readonly string[] = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];
/** The response header with the version that answered. */
const VERSION_HEADER = 'x-model-version';

/**
 * Adds `POST /predict/NAME[@VERSION|:ALIAS]`, which answers a row, a list of rows, or a stream of
 * rows. With `contributions` in the query, each answer has its explanation.
 */
export function predictRoutes(app: FastifyInstance, served: Served): void {
  app.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: served.maxBodyBytes }, (_, body, done) =>
    done(null, body),
  );
  app.addContentTypeParser([...STREAMS], (_, payload, done) => done(null, payload));
  app.post<{ Params: { reference: string }; Body: Buffer | Readable | undefined }>(
    '/predict/:reference',
    async (request, reply) => {
      const { body, params } = request;
      const contributions = contributionsOf(request.query);
      const limits = { ...limitsOf(request.query), signal: disconnectSignal(reply) };
      const ready = await readyRoute(served.registry, params.reference, limits);
      const isExplained = contributions !== undefined;
      const answers = jsonAnswers(ready, contributions);
      reply.header(VERSION_HEADER, ready.route.version);
      served.counts.answeredBy(request, ready.route.version);
      if (isStream(body)) {
        const lines = answerLines(body, ready, answers, {
          parse: served.parse,
          maxLineBytes: served.maxBodyBytes,
          check: isExplained ? checkExplainedRow : undefined,
          log: request.log,
        });
        return reply.type('application/x-ndjson').send(lines);
      }
      const { inputs } = ready.description;
      const value = parseJson(body ?? Buffer.alloc(0), served.parse);
      reply.type('application/json');
      if (!Array.isArray(value)) {
        if (isExplained) checkExplainedRow(value);
        return reply.send(await answers.one(decodeRow(value, inputs)));
      }
      checkRows(value.length, served, isExplained);
      if (isExplained) checkExplainedRows(value);
      return reply.send(await answers.list(value.map((row) => decodeRow(row, inputs))));
    },
  );
}

const isStream = (body: Buffer | Readable | undefined): body is Readable =>
  body !== undefined && !Buffer.isBuffer(body);

/**
 * Checks the number of rows of a request.
 * @throws ERR_HTTP_ROWS
 */
function checkRows(count: number, { maxRows, maxExplainedRows }: Served, isExplained: boolean): void {
  if (count > maxRows) throw tooManyRows(count, maxRows);
  if (!isExplained || count <= maxExplainedRows) return;
  throw httpError('ERR_HTTP_ROWS', {
    expected: `at most ${maxExplainedRows} rows with contributions`,
    received: `${count}`,
    hint: 'send fewer rows at once, stream rows as NDJSON, or increase maxExplainedRows (--max-explained-rows)',
  });
}

/**
 * Reads from the query how many contributions the client wants for each answer.
 * @throws ERR_HTTP_REQUEST
 */
function contributionsOf(query: FastifyRequest['query']): number | undefined {
  const contributions = parameterOf(query, 'contributions');
  if (contributions === undefined) return undefined;
  const count = /^\d{1,4}$/.test(contributions) ? Number(contributions) : 0;
  if (count >= 1 && count <= MOST_CONTRIBUTIONS) return count;
  const received = JSON.stringify(contributions.slice(0, 40));
  const expected = `an integer from 1 to ${MOST_CONTRIBUTIONS}`;
  throw httpError('ERR_HTTP_REQUEST', { expected, received, at: 'contributions of the query' });
}

/**
 * Reads the deadline and the canary key from the query.
 * @throws ERR_HTTP_REQUEST for an invalid deadline, or for a parameter that occurs twice.
 */
const limitsOf = (query: FastifyRequest['query']) => ({
  key: parameterOf(query, 'key'),
  deadlineMs: deadlineOf(query),
});
