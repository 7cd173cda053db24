import type { Concurrency } from '@brezel/oip';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import type { Access } from './access.js';
import { hidingErrors, loggedResponse } from './error-response.js';
import type { RequestCounts } from './statistics/request-counts.js';

/** Hooks of the routes that answer predictions. */
export interface RequestHooks {
  /** Counts a request as a prediction in flight, and in the statistics of predictions. */
  readonly enter: onRequestHookHandler;
  /** Counts a request only as in flight. */
  readonly admit: onRequestHookHandler;
}

/**
 * Returns the hooks that count requests. If the client disconnects before the response, fastify
 * runs no `onResponse`, but `close` occurs. Hooks that run for each request call `done`: a promise
 * would take more time than the hook itself.
 */
export function requestHooks(concurrency: Concurrency, counts: RequestCounts): RequestHooks {
  return {
    enter(request, reply, done) {
      counts.start();
      reply.raw.once('close', () => {
        concurrency.leave(request);
        counts.end(request, reply);
      });
      concurrency.enter(request);
      done();
    },
    admit(request, reply, done) {
      reply.raw.once('close', () => concurrency.leave(request));
      concurrency.enter(request);
      done();
    },
  };
}

/**
 * Responses with these statuses have the header Retry-After, because a later attempt can succeed.
 */
const RETRY: ReadonlySet<number> = new Set([429, 503]);

/**
 * Adds the hooks of all routes: they check the access, end the count of a request, and convert
 * errors to responses.
 */
export function addSharedHooks(app: FastifyInstance, access: Access, concurrency: Concurrency): void {
  app.addHook('onRoute', (route) => {
    route.handler = hidingErrors(route.handler);
  });
  app.addHook('onRequest', (request, _, done) => {
    access.check(request);
    done();
  });
  app.addHook('onResponse', (request, _, done) => {
    concurrency.leave(request);
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    const { status, body } = loggedResponse(error, request.log);
    if (RETRY.has(status)) reply.header('retry-after', '1');
    if (status === 401) reply.header('www-authenticate', 'Bearer');
    return reply.code(status).type('application/json').send(body);
  });
}
