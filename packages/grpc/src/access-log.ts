import { hostname } from 'node:os';
import type { GrpcCall } from './call-records.js';
import type { CheckedOptions } from './options.js';

/** The number of the level `info` in logs of pino. The access log of @brezel/http uses pino. */
const INFO = 30;

/** The name of the machine. It is read only once, because reading it takes a system call. */
const machine = hostname();

/** The access log of a server on the standard output of the process. */
export class AccessLog {
  readonly #logError: (error: unknown) => void;
  #isOpen = true;

  /** @param logError receives the errors of writes, which would otherwise end the process. */
  constructor(logError: (error: unknown) => void) {
    this.#logError = logError;
    process.stdout.on('error', this.#failed);
  }

  /** Writes the line of a call. After `close`, the method does nothing. */
  write(call: GrpcCall): void {
    if (this.#isOpen) process.stdout.write(`${lineOf(call)}\n`);
  }

  close(): void {
    this.#isOpen = false;
    // The stream emits the error of a write after the write.
    setImmediate(() => process.stdout.off('error', this.#failed));
  }

  readonly #failed = (cause: Error & { readonly code?: string }): void => {
    if (cause.code !== 'EPIPE') {
      this.#logError(cause);
    } else if (this.#isOpen) {
      this.#isOpen = false;
      const reason = 'the access log ends, because nothing reads the standard output of the process';
      this.#logError(new Error(reason, { cause }));
    }
  };
}

/**
 * Returns the function that is called at the end of each call. It writes the line of the access log
 * and calls `onCall`.
 */
export function callObserver(
  { onCall, logError }: Pick<CheckedOptions, 'onCall' | 'logError'>,
  accessLog: AccessLog | undefined,
): (call: GrpcCall) => void {
  return (call) => {
    accessLog?.write(call);
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
    hostname: machine,
    reqId: requestId,
    ...call,
    msg: 'call',
  });
