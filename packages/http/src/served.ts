import type { ModelRegistry, Route, VersionDescription } from 'brezel';
import type { FastifyReply } from 'fastify';
import type { JsonParser } from './json.js';

/** The objects that all routes of one plugin use. */
export interface Served {
  readonly registry: ModelRegistry;
  readonly maxRows: number;
  readonly maxBodyBytes: number;
  readonly parse: JsonParser;
  readonly isReady: () => boolean;
}

/** Deadline, signal and canary key of one request. */
export interface RequestLimits {
  readonly deadlineMs: number | undefined;
  readonly key: string | number | undefined;
  readonly signal: AbortSignal;
}

/** The route of one request, with the description of its version and the remaining limits. */
export interface ReadyRoute {
  readonly route: Route;
  readonly description: VersionDescription;
  readonly options: { readonly deadlineMs?: number; readonly signal?: AbortSignal };
}

/** Chooses the version of a request and loads it if necessary. The deadline includes the load. */
export async function readyRoute(
  { registry }: Served,
  reference: string,
  { deadlineMs, key, signal }: RequestLimits,
): Promise<ReadyRoute> {
  const route = registry.route(reference, key === undefined ? undefined : { key });
  const limits = { ...(deadlineMs !== undefined && { deadlineMs }), signal };
  if (route.description !== undefined) return { route, description: route.description, options: limits };
  const start = performance.now();
  const description = await route.load(limits);
  if (deadlineMs === undefined) return { route, description, options: limits };
  const left = Math.max(Number.MIN_VALUE, deadlineMs - (performance.now() - start));
  return { route, description, options: { deadlineMs: left, signal } };
}

/** Returns a signal that aborts when the client disconnects before it has its response. */
export function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
