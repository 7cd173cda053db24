import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { httpError } from './errors.js';
import type { InferenceOptions, OpenGroup } from './options.js';

/**
 * The access group of a route. `health` routes need no token. `control` routes exist only if the
 * server has a token.
 */
export type RouteGroup = 'health' | 'control' | OpenGroup;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The access group of the route. Routes without a group belong to `predict`. */
    group?: RouteGroup;
  }
}

/**
 * Returns the check that runs before the body of a request is read.
 *
 * A page of another site can make a browser send requests to a server on the same machine. The
 * check therefore compares Host (against DNS rebinding) and Origin (against forged requests),
 * except for health probes.
 */
export function accessCheck({ token, open = [], hosts }: InferenceOptions): (request: FastifyRequest) => void {
  const expected = token === undefined ? undefined : digestOf(token);
  const allowed = hosts === undefined ? undefined : new Set(hosts.map((host) => host.toLowerCase()));
  return (request) => {
    const { group = 'predict' } = request.routeOptions.config;
    if (group === 'health') return;
    checkHost(request, allowed);
    checkOrigin(request);
    if (expected === undefined) {
      if (group === 'control') throw httpError('ERR_HTTP_CONTROL');
      return;
    }
    if (group !== 'control' && open.includes(group)) return;
    if (!timingSafeEqual(digestOf(tokenOf(request)), expected)) throw httpError('ERR_HTTP_TOKEN');
  };
}

/**
 * Returns the digest of a token. All digests have the same length, so that comparing them takes the
 * same time for every token.
 */
const digestOf = (token: string) => createHash('sha256').update(token).digest();

const tokenOf = ({ headers }: FastifyRequest): string => /^Bearer (.*)$/i.exec(headers.authorization ?? '')?.[1] ?? '';

function checkHost({ headers: { host = '' } }: FastifyRequest, allowed: ReadonlySet<string> | undefined): void {
  if (allowed === undefined || allowed.has(host.replace(/:\d+$/, '').toLowerCase())) return;
  throw httpError('ERR_HTTP_ORIGIN', { received: `Host ${JSON.stringify(host.slice(0, 100))}` });
}

function checkOrigin({ headers: { host, origin } }: FastifyRequest): void {
  if (origin === undefined) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw httpError('ERR_HTTP_ORIGIN', { received: `Origin ${JSON.stringify(origin.slice(0, 100))}` });
}
