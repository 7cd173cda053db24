import type { ModelRegistry, Route, Runtime, VersionDescription } from 'brezel';
import type { FastifyReply } from 'fastify';
import type { JsonParser } from './json.js';
import type { RequestCounts } from './statistics/request-counts.js';
import type { ServerStatistics } from './statistics/server-statistics.js';

/** The objects that all routes of one plugin instance share. */
export interface Served {
  readonly registry: ModelRegistry;
  readonly maxRows: number;
  readonly maxBodyBytes: number;
  readonly parse: JsonParser;
  readonly isReady: () => boolean;
  readonly runtime: Runtime | undefined;
  readonly counts: RequestCounts;
  /** Returns the counts, times and memory of the server, as `GET /statistics` shows them. */
  readonly statistics: () => Promise<ServerStatistics>;
}

/** Deadline, signal and canary key of one request. */
export interface RequestLimits {
  readonly deadlineMs: number | undefined;
  readonly key: string | number | undefined;
  readonly signal: AbortSignal;
}

/**
 * The version that answers one request, its description, and the options of its predictions: the
 * time left until the deadline, the signal and the canary key.
 */
export interface ReadyRoute {
  readonly route: Route;
  readonly description: VersionDescription;
  readonly options: { readonly deadlineMs?: number; readonly signal?: AbortSignal };
}

/**
 * Chooses the version of a request and loads it if necessary. The time of the load is subtracted
 * from the deadline.
 */
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

/** For each open connection, the signal that aborts when it closes. */
const signals = new WeakMap<object, AbortSignal>();

/**
 * Returns a signal that aborts when the client disconnects. Requests of one HTTP/1.1 connection
 * share the signal, because creating a signal costs more than many predictions.
 */
export function disconnectSignal({ raw, request }: FastifyReply): AbortSignal {
  const { socket, httpVersionMajor } = request.raw;
  // An HTTP/2 client can cancel one request and keep the connection.
  if (httpVersionMajor > 1) return responseSignal(raw);
  const found = signals.get(socket);
  if (found !== undefined) return found;
  const controller = new AbortController();
  if (socket.destroyed) controller.abort();
  else socket.once('close', () => controller.abort());
  signals.set(socket, controller.signal);
  return controller.signal;
}

/** Returns a signal that aborts when the client cancels one request. */
function responseSignal(raw: FastifyReply['raw']): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
