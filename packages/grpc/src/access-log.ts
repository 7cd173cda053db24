import { hostname } from 'node:os';
import type { GrpcCall } from './call-records.js';
import type { CheckedOptions } from './options.js';

/** The number of the level `info` in logs of pino. The access log of @brezel/http uses pino. */
const INFO = 30;

/**
 * Returns the function that is called at the end of each call. It writes the line of the access log
 * and calls `onCall`.
 */
export function callObserver({
  accessLog,
  onCall,
  logError,
}: Pick<CheckedOptions, 'accessLog' | 'onCall' | 'logError'>): (call: GrpcCall) => void {
  return (call) => {
    if (accessLog) process.stdout.write(`${lineOf(call)}\n`);
    try {
      onCall?.(call);
    } catch (error) {
      logError(error);
    }
  };
}

/**
 * Returns the line of a call in the access log. Common fields have the names that @brezel/http
 * uses.
 */
const lineOf = ({ requestId, ...call }: GrpcCall): string =>
  JSON.stringify({
    level: INFO,
    time: Date.now(),
    pid: process.pid,
    hostname: hostname(),
    reqId: requestId,
    ...call,
    msg: 'call',
  });
