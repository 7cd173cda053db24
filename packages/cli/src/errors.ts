import { BrezelError, thrower } from '@brezel/core';
import { hintOf } from './hints.js';

/** The class of errors that the user of the command line can fix. */
export class CliError extends BrezelError {}

export const cliErrors = {
  ERR_CLI_USAGE: { message: 'invalid command line', hint: 'run brezel --help for commands and options' },
  ERR_CLI_FILE: { message: 'cannot use the file', hint: 'check the path and its permissions' },
  ERR_CLI_PLAN: {
    message: 'the fleet file has no such plan',
    hint: 'run brezel inspect to list its plans; name one as fleet.brezel#name',
  },
  ERR_CLI_GOLDEN: {
    message: 'answers differ from the golden rows of the fleet file',
    hint: 'this version or machine gives other bits: report it, and pack the models again',
  },
  ERR_CLI_TEST_DATA: {
    message: 'outputs differ from the test data',
    hint: 'see the table for outputs and positions; --rtol and --atol set the tolerance of floats',
  },
  ERR_CLI_EXPECTED: {
    message: 'the expected answers do not fit the rows or the model',
    hint: 'write one JSON object per line, with outputs of the model, as `brezel predict` does',
  },
  ERR_CLI_DIFFERENCE: {
    message: 'answers differ from the expected answers',
    hint: 'see the differing rows above; --rtol and --atol set the tolerance of floats',
  },
  ERR_CLI_BASELINE: {
    message: 'cannot compare with the baseline',
    hint: 'write a baseline with `brezel bench MODEL... --save base.json`; the format may differ between versions of Brezel',
  },
  ERR_CLI_REGRESSION: {
    message: 'a model is slower or larger than in the baseline',
    hint: 'see the table for models and confidence; run `brezel explain --analyze` to see where the time goes',
  },
  ERR_CLI_DOCTOR: {
    message: 'Brezel does not work here',
    hint: 'see the failed part above, and what to do about it',
  },
  ERR_CLI_SERVER: {
    message: 'the server is not installed',
    hint: 'run: npm install @brezel/http, or install its tarball until it is on npm',
  },
  ERR_CLI_GRPC: {
    message: 'the gRPC server is not installed',
    hint: 'run: npm install @brezel/grpc, or install its tarball until it is on npm',
  },
  ERR_CLI_NATS: {
    message: 'the package for clusters on NATS is not installed',
    hint: 'run: npm install @brezel/nats, or install its tarball until it is on npm',
  },
  ERR_CLI_SELECTION: {
    message: 'model selection is not installed',
    hint: 'run: npm install @brezel/selection, or install its tarball until it is on npm',
  },
  ERR_CLI_SERVER_ANSWER: {
    message: 'the server does not return its numbers',
    hint: 'check the address and the token: brezel top http://HOST:PORT --token-file FILE',
  },
  ERR_CLI_WORKER: {
    statusCode: 503,
    message: 'a process of the server ended during the request',
    hint: 'another process replaces it: send the request again',
  },
  ERR_CLI_WORKERS: {
    message: 'the processes of the server do not start',
    hint: 'start the server without --processes to see the reason; check the memory of the machine',
  },
  ERR_CLI_ROW: {
    message: 'a row does not fit the model',
    hint: 'write one JSON object per line, with the inputs that `brezel inspect` shows',
  },
} as const;

export const cliError = thrower(CliError, cliErrors);

/**
 * Returns the error with the name of its file before the message. An error that already names a
 * file is returned unchanged.
 */
export function inFile(file: string, fault: BrezelError): BrezelError {
  if (fault.code === 'ERR_CLI_FILE' || fault.details.at === file) return fault;
  return new BrezelError(fault.code, { message: `${file}: ${fault.message}`, hint: fault.hint }, { cause: fault });
}

/**
 * Returns one line for standard error, for any thrown value: `brezel: CODE: message (hint: ...)`.
 */
export function describeFault(fault: unknown): string {
  if (fault instanceof BrezelError) return oneLine(`brezel: ${fault.code}: ${fault.message} (hint: ${hintOf(fault)})`);
  const message = fault instanceof Error ? fault.message : String(fault);
  return oneLine(
    `brezel: ERR_INTERNAL: ${message} (hint: this is a bug in Brezel: please report it with the stack that BREZEL_DEBUG=1 prints)`,
  );
}

/**
 * Replaces line breaks and control characters by spaces, because names and messages may contain any
 * characters.
 */
const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
