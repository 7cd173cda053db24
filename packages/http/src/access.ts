import { bearerToken, tokenCheck } from '@brezel/oip';
import type { FastifyRequest } from 'fastify';
import { httpError } from './errors.js';
import type { InferenceOptions, OpenGroup } from './options.js';
import { Sessions } from './page/session.js';

/**
 * The access group of a route. If the server has a token, all routes require it except `health` and
 * `signIn` routes and the groups in the option `open`. Without a token, the server rejects requests
 * to `control` routes. Only `health` routes do not check Host and Origin.
 */
export type RouteGroup = 'health' | 'signIn' | 'control' | OpenGroup;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The access group of the route. Routes without a group belong to `predict`. */
    group?: RouteGroup;
  }
}

/** The access rules of a server. */
export interface Access {
  /** Checks a request before its body is read. */
  check(request: FastifyRequest): void;
  /** Returns whether a text is the token. The time of the comparison does not reveal the token. */
  isToken(text: string): boolean;
  /** The sessions of signed-in users of the page. Undefined if the server has no token. */
  readonly sessions: Sessions | undefined;
}

/**
 * Returns the access rules of a server.
 *
 * A page of another site can make a browser send requests to a server on the same machine. Against
 * DNS rebinding, the check therefore accepts only allowed names in the header Host. Against forged
 * requests, the header Origin must be missing or agree with Host. Health probes are not checked.
 */
export function accessOf({ token, open = [], hosts }: InferenceOptions): Access {
  const sessions = token === undefined ? undefined : new Sessions(token);
  const isToken = token === undefined ? () => false : tokenCheck(token);
  const checkHost = hostCheck(hosts);
  const check = (request: FastifyRequest) => {
    const { group = 'predict' } = request.routeOptions.config;
    if (group === 'health') return;
    checkHost(request);
    checkOrigin(request);
    if (group === 'signIn') return;
    if (token === undefined) {
      if (group === 'control') throw httpError('ERR_HTTP_CONTROL');
      return;
    }
    if (group !== 'control' && open.includes(group)) return;
    if (!isToken(bearerToken(request.headers.authorization ?? '')) && !sessions?.admits(request))
      throw httpError('ERR_HTTP_TOKEN');
  };
  return { check, isToken, sessions };
}

/**
 * Returns a function that checks the header Host of a request.
 * @param hosts the allowed host names; undefined allows every name
 */
function hostCheck(hosts: readonly string[] | undefined): (request: FastifyRequest) => void {
  if (hosts === undefined) return () => undefined;
  const allowed = new Set(hosts.map((host) => host.toLowerCase()));
  /** The last Host header that was allowed. Most clients send the same header with each request. */
  let last: string | undefined;
  return ({ headers: { host = '' } }) => {
    if (host === last) return;
    if (!allowed.has(host.replace(/:\d+$/, '').toLowerCase()))
      throw httpError('ERR_HTTP_ORIGIN', { received: `Host ${JSON.stringify(host.slice(0, 100))}` });
    last = host;
  };
}

function checkOrigin({ headers: { host, origin } }: FastifyRequest): void {
  if (origin === undefined) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw httpError('ERR_HTTP_ORIGIN', { received: `Origin ${JSON.stringify(origin.slice(0, 100))}` });
}
