import { RequestCanceled } from '@brezel/oip';
import type { ModelRegistry, Runtime } from 'brezel';
import type { FastifyReply } from 'fastify';
import type { JsonParser } from './json.js';
import type { ModelChange } from './model-changes.js';
import type { NamedSelections } from './selections/selection-app.js';
import type { RequestCounts } from './statistics/request-counts.js';
import type { ServerStatistics } from './statistics/server-statistics.js';

/** The objects that all routes of one plugin instance share. */
export interface Served {
  readonly registry: ModelRegistry;
  readonly maxRows: number;
  readonly maxExplainedRows: number;
  readonly maxBodyBytes: number;
  readonly parse: JsonParser;
  readonly isReady: () => boolean;
  readonly runtime: Runtime | undefined;
  readonly selections: NamedSelections;
  readonly counts: RequestCounts;
  /** Changes models or aliases in all processes of the server. */
  readonly change: (change: ModelChange) => Promise<void>;
  /** Returns the counts, times and memory of the server, as `GET /statistics` shows them. */
  readonly statistics: () => Promise<ServerStatistics>;
}

/** For each open connection, the signal that aborts when the connection closes. */
const signals = new WeakMap<object, AbortSignal>();

/**
 * Returns a signal that aborts when the client disconnects. Requests of one HTTP/1.1 connection
 * share the signal, because creating a signal takes longer than many predictions together.
 */
export function disconnectSignal({ raw, request }: FastifyReply): AbortSignal {
  const { socket, httpVersionMajor } = request.raw;
  // An HTTP/2 client can cancel one request and keep the connection.
  if (httpVersionMajor > 1) return responseSignal(raw);
  const found = signals.get(socket);
  if (found !== undefined) return found;
  const controller = new AbortController();
  if (socket.destroyed) controller.abort(new RequestCanceled());
  else socket.once('close', () => controller.abort(new RequestCanceled()));
  signals.set(socket, controller.signal);
  return controller.signal;
}

/** Returns a signal that aborts when the client cancels one request. */
function responseSignal(raw: FastifyReply['raw']): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort(new RequestCanceled());
  });
  return controller.signal;
}
