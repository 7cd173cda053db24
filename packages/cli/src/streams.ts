import { AsyncLocalStorage } from 'node:async_hooks';

/** What a command line reads and writes. */
export interface Streams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

const given = new AsyncLocalStorage<Streams>();

/**
 * The streams of the command line that runs here: those of the process, unless `withStreams` gave
 * others.
 */
export const streams = (): Streams => given.getStore() ?? process;

/** Runs a command line over separate streams: several can run in one process at the same time. */
export const withStreams = <T>(own: Streams, run: () => T): T => given.run(own, run);
