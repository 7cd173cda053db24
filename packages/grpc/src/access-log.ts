import { hostname } from 'node:os';
import type { GrpcCall } from './call-records.js';
import type { CheckedOptions } from './options.js';

/** The level `info` of pino, which writes the access log of @brezel/http. */
const INFO = 30;

/** Returns the function that receives each call at its end, for the access log and for metrics. */
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

/** Returns the line of a call in the access log, with the field names of @brezel/http. */
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
