import { BrezelError, thrower } from '@brezel/core';

/** Whose turn: the one at the keyboard. */
export class CliError extends BrezelError {}

export const cliErrors = {
  ERR_CLI_USAGE: { message: 'the command line is not understood', hint: 'brezel --help lists commands and options' },
  ERR_CLI_FILE: { message: 'cannot use the file', hint: 'check the path and its permissions' },
  ERR_CLI_PLAN: {
    message: 'no such plan in the fleet file',
    hint: 'brezel inspect lists the plans of a fleet file; name one as in fleet.brezel#name',
  },
  ERR_CLI_GOLDEN: {
    message: 'a fleet answers otherwise than when it was packed',
    hint: 'this version of Brezel, or this machine, gives other bits: please report it, and pack the models again',
  },
  ERR_CLI_TEST_DATA: {
    message: 'a model answers otherwise than its test data says',
    hint: 'the table tells which outputs differ and where; --rtol and --atol allow floats more',
  },
  ERR_CLI_BASELINE: {
    message: 'cannot compare with the baseline',
    hint: 'write one with `brezel bench MODEL... --save base.json`; one of another version of Brezel may have another format',
  },
  ERR_CLI_REGRESSION: {
    message: 'a model has become slower, or larger',
    hint: 'the table tells which, and how sure that is; `brezel explain --analyze` tells where the time goes',
  },
  ERR_CLI_DOCTOR: {
    message: 'Brezel does not work here',
    hint: 'brezel doctor tells which part does not work, and what to do',
  },
  ERR_CLI_ROW: {
    message: 'a row does not fit the model',
    hint: 'one JSON object a line, keyed by the inputs that `brezel inspect` shows',
  },
} as const;

export const cliError = thrower(CliError, cliErrors);

/** The same fault, told with the name of the file it is about. */
export function inFile(file: string, fault: BrezelError): BrezelError {
  return new BrezelError(fault.code, { message: `${file}: ${fault.message}`, hint: fault.hint }, { cause: fault });
}

/** One line for standard error, whatever was thrown: `brezel: CODE: message (hint: ...)`. */
export function describeFault(fault: unknown): string {
  if (fault instanceof BrezelError) return oneLine(`brezel: ${fault.code}: ${fault.message} (hint: ${fault.hint})`);
  const message = fault instanceof Error ? fault.message : String(fault);
  return oneLine(`brezel: ERR_INTERNAL: ${message} (hint: set BREZEL_DEBUG=1 for the stack, and please report it)`);
}

/** Names and messages may hold anything; the terminal gets one line without control characters. */
const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
