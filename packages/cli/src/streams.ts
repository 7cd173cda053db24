import { AsyncLocalStorage } from 'node:async_hooks';

/** The streams that a command line reads and writes. */
export interface Streams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

const given = new AsyncLocalStorage<Streams>();

/**
 * Returns the streams of the current command line: the streams that `withStreams` set, otherwise
 * the streams of the process.
 */
export const streams = (): Streams => given.getStore() ?? process;

/**
 * Runs a command line with separate streams, so that several command lines can run in one process
 * at the same time.
 */
export const withStreams = <T>(own: Streams, run: () => T): T => given.run(own, run);
