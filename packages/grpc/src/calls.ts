import { RequestCanceled } from '@brezel/oip';
import type { ServerDuplexStream, ServerUnaryCall } from '@grpc/grpc-js';

/**
 * A call with one request and one response. The server receives and sends encoded messages, which
 * this package decodes and encodes.
 */
export type UnaryCall = ServerUnaryCall<Uint8Array, Uint8Array>;
export type StreamCall = ServerDuplexStream<Uint8Array, Uint8Array>;

/** Returns a signal that aborts when the client cancels the call or its deadline passes. */
export function cancelSignal(call: UnaryCall | StreamCall): AbortSignal {
  const controller = new AbortController();
  if (call.cancelled) controller.abort(new RequestCanceled());
  else call.once('cancelled', () => controller.abort(new RequestCanceled()));
  return controller.signal;
}

/**
 * Returns the milliseconds that are left for a call: until its deadline, or `requested` if this is
 * less. Returns undefined if both are missing.
 */
export function deadlineMsOf(call: UnaryCall | StreamCall, requested?: number): number | undefined {
  const left = Number(call.getDeadline()) - Date.now();
  const deadlineMs = Math.min(Math.max(left, Number.MIN_VALUE), requested ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(deadlineMs) ? deadlineMs : undefined;
}
