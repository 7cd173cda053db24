import type { OutputPort } from '@brezel/core';
import { cliError } from '../errors.js';
import { readPieces } from '../files.js';
import { jsonRows } from '../rows/json-rows.js';

/** The expected result of one row: the values of outputs, or the code of the row's error. */
export interface ExpectedAnswer {
  readonly line: number;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly errorCode?: string;
}

/**
 * Reads a file of expected answers, one answer at a time. `outputs` is empty until the first answer
 * has been read.
 */
export interface ExpectedAnswers {
  /** The outputs that the answers contain. */
  readonly outputs: readonly OutputPort[];
  /** Returns the next answer, or undefined at the end of the file. */
  next(): Promise<ExpectedAnswer | undefined>;
  close(): Promise<void>;
}

/**
 * Opens a file of expected answers, one JSON object per line, as `brezel predict` writes them. All
 * answers contain the same outputs. The line `{"error": {"code": ...}}` means that the row must
 * fail with this code.
 *
 * @throws from `next`: ERR_CLI_EXPECTED if an answer has other outputs than the model or than the
 * first answer; ERR_CLI_ROW for a line that is not JSON.
 */
export async function openExpected(path: string, all: readonly OutputPort[]): Promise<ExpectedAnswers> {
  // The file is opened when the first line is read, so that no file stays open if no line is read.
  const lines = (async function* () {
    yield* jsonRows((await readPieces(path)).source, all);
  })();
  const hasErrors = !all.some(({ name }) => name === 'error');
  let outputs: readonly OutputPort[] = [];
  return {
    get outputs() {
      return outputs;
    },
    async next() {
      const { value, done } = await lines.next();
      if (done) return undefined;
      if ('error' in value) throw value.error;
      const { line, fields } = value;
      const errorCode = hasErrors ? codeOf(fields) : undefined;
      if (errorCode !== undefined) return { line, errorCode };
      if (outputs.length === 0) outputs = all.filter(({ name }) => name in fields);
      checkNames(fields, outputs, all, line);
      return { line, values: fields };
    },
    close: async () => {
      await lines.return(undefined);
    },
  };
}

function codeOf({ error }: Readonly<Record<string, unknown>>): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

function checkNames(
  fields: Readonly<Record<string, unknown>>,
  outputs: readonly OutputPort[],
  all: readonly OutputPort[],
  line: number,
): void {
  const names = Object.keys(fields);
  if (names.length > 0 && names.length === outputs.length && outputs.every(({ name }) => name in fields)) return;
  const expected = (outputs.length === 0 ? all : outputs).map(({ name }) => name).join(', ');
  throw cliError('ERR_CLI_EXPECTED', {
    expected: outputs.length === 0 ? `outputs of the model: ${expected}` : `outputs ${expected}, as in the first line`,
    received: names.join(', ') || 'none',
    at: `line ${line}`,
  });
}
