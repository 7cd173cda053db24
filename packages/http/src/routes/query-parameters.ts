import type { FastifyRequest } from 'fastify';
import { httpError } from '../errors.js';

type Query = FastifyRequest['query'];

/** Returns a parameter of the query of the URL, or undefined. @throws ERR_HTTP_REQUEST */
export function parameterOf(query: Query, name: string): string | undefined {
  const value = (query as Readonly<Record<string, string | string[] | undefined>>)[name];
  if (value === undefined || typeof value === 'string') return value;
  throw httpError('ERR_HTTP_REQUEST', { expected: 'one value', received: 'several', at: `${name} of the query` });
}

/**
 * Reads the deadline from the query.
 * @throws ERR_HTTP_REQUEST for an invalid deadline, or for a deadline that occurs twice.
 */
export function deadlineOf(query: Query): number | undefined {
  const deadline = parameterOf(query, 'deadline_ms');
  if (deadline === undefined) return undefined;
  const deadlineMs = /^\d{1,10}(\.\d{1,6})?$/.test(deadline) ? Number(deadline) : 0;
  if (deadlineMs > 0) return deadlineMs;
  const received = JSON.stringify(deadline.slice(0, 40));
  throw httpError('ERR_HTTP_REQUEST', { expected: 'milliseconds above 0', received, at: 'deadline_ms of the query' });
}
