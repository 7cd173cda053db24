import { isHidden, shown, valueJson } from '@brezel/oip';
import { BrezelError } from 'brezel';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { hidden, loggedResponse, responseOf } from '../error-response.js';
import { httpError } from '../errors.js';
import type { RequestHooks } from '../hooks.js';
import { parseJson } from '../json.js';
import type { SelectedAnswer, SelectionApp } from '../selections/selection-app.js';
import { disconnectSignal, type Served } from '../served.js';
import { deadlineOf, parameterOf } from './query-parameters.js';

const MAX_CONTEXT = 512;
/** The longest delay of a timer in Node.js, in milliseconds. */
const MAX_DEADLINE_MS = 2 ** 31 - 1;
/** How long feedback without a deadline waits for the store of the selection, in milliseconds. */
const FEEDBACK_MS = 10_000;
const NO_BYTES = new Uint8Array();

/**
 * Adds `POST /select/NAME`, which answers one row with a selection, and `POST /feedback/QUERY`,
 * which passes the right answer to the selection that made the prediction.
 */
export function selectionRoutes(app: FastifyInstance, served: Served, { enter, admit }: RequestHooks): void {
  app.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: served.maxBodyBytes }, (_, body, done) =>
    done(null, body),
  );
  app.post<{ Params: { name: string }; Body: Buffer | undefined }>(
    '/select/:name',
    { onRequest: enter },
    async (request, reply) => {
      const selection = selectionOf(served, request.params.name);
      const deadlineMs = deadlineOf(request.query);
      const options = {
        ...contextOf(request.query),
        ...(deadlineMs !== undefined && { deadlineMs: Math.min(deadlineMs, MAX_DEADLINE_MS) }),
        signal: disconnectSignal(reply),
      };
      const row = parseJson(request.body ?? NO_BYTES, served.parse);
      try {
        const selected = await selection.predict(row, options);
        return reply.type('application/json').send(answerText(selected, request.log));
      } catch (error) {
        throw rowError(error, request.log);
      }
    },
  );
  app.post<{ Params: { query: string }; Body: Buffer | undefined }>(
    '/feedback/:query',
    { onRequest: admit },
    async ({ params: { query: id }, query, body, log }) => {
      const options = { ...contextOf(query), deadlineMs: Math.min(deadlineOf(query) ?? FEEDBACK_MS, MAX_DEADLINE_MS) };
      const truth = parseJson(body ?? NO_BYTES, served.parse);
      const selection = [...served.selections.values()].find((one) => one.hasQuery(id));
      if (selection === undefined) throw httpError('ERR_HTTP_QUERY', { received: shown(id) });
      try {
        const { loss, losses } = await selection.feedback(id, truth, options);
        return { loss, losses };
      } catch (error) {
        throw withLoggedCause(error, log);
      }
    },
  );
}

/** Returns a selection by its name. @throws ERR_HTTP_SELECTION */
function selectionOf({ selections }: Served, name: string): SelectionApp {
  const selection = selections.get(name);
  if (selection === undefined) throw httpError('ERR_HTTP_SELECTION', { received: shown(name) });
  return selection;
}

/** Reads the context from the query of the URL. @throws ERR_HTTP_REQUEST */
function contextOf(query: FastifyRequest['query']): { readonly context?: string } {
  const context = parameterOf(query, 'context');
  if (context === undefined) return {};
  if (context.length <= MAX_CONTEXT) return { context };
  const expected = `at most ${MAX_CONTEXT} characters`;
  throw httpError('ERR_HTTP_REQUEST', { expected, received: `${context.length}`, at: 'context of the query' });
}

/**
 * Writes the answer of a selection as JSON. Logs the errors of candidates that the response hides.
 */
function answerText({ answer, missing, ...selected }: SelectedAnswer, log: FastifyBaseLogger): string {
  const { confidence, isFallback, asked, query } = selected;
  const described = missing.map(({ candidate, reason, error }) => {
    if (error === undefined) return { candidate, reason };
    return { candidate, reason, error: loggedResponse(hidden(error), log).body };
  });
  const rest = JSON.stringify({ confidence, isFallback, asked, missing: described, query });
  return `{"answer":${valueJson(answer, true)},${rest.slice(1)}`;
}

/**
 * Returns the error for a row without an answer. If a candidate rejected the row as invalid (status
 * 400), and all others failed with status 400 or 500, returns the error of this candidate: the
 * client can correct the row. Status 500 is included, because functions often throw errors without
 * a status for an invalid row. After any other status, for example after an overload, a later
 * attempt can succeed.
 */
function rowError(error: unknown, log: FastifyBaseLogger): unknown {
  const cause = error instanceof BrezelError ? error.cause : undefined;
  if (!(cause instanceof AggregateError)) return withLoggedCause(error, log);
  if (cause.errors.length === 0) return error;
  const statuses = cause.errors.map((one) => responseOf(hidden(one)).status);
  // The response contains only errors with status 400. The log contains the other errors one by
  // one, because the logger does not write the errors in a cause.
  for (const [index, one] of cause.errors.entries()) if (statuses[index] !== 400) log.error(one);
  const invalid = statuses.indexOf(400);
  return invalid >= 0 && statuses.every((status) => status === 400 || status === 500) ? cause.errors[invalid] : error;
}

/**
 * Writes an error with a cause to the log, and returns the error. The cause is an error of an
 * option of the selection, for example of `loss`. The response names the option, and hides the
 * cause.
 */
function withLoggedCause(error: unknown, log: FastifyBaseLogger): unknown {
  const isShown = error instanceof BrezelError && !isHidden(responseOf(error).body);
  if (isShown && error.cause !== undefined) log.error(error);
  return error;
}
