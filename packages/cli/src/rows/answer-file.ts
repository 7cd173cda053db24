import { BrezelError, type InputPort } from '@brezel/core';
import { cliError } from '../errors.js';
import { openText, STANDARD_STREAM, type TextOutput } from '../files.js';
import { hintOf } from '../hints.js';
import { attempt } from '../models.js';
import { type Answerer, answerEach, answerRows } from './answer-rows.js';
import { type RowGroup, rowGroups, validRows } from './row-groups.js';
import type { NumberedRow } from './rows.js';

/** The flags of a command that answers the rows of a file. */
export interface AnswerFlags {
  readonly input: string;
  readonly output: string;
  readonly csv?: true;
  readonly extraFields?: 'refuse' | 'ignore';
  readonly onError: 'stop' | 'line';
  readonly single?: true;
}

/** How to read and answer rows, and how to write an answer as a line of JSON. */
export interface Answering<Result> {
  readonly inputs: readonly InputPort[];
  readonly answer: Answerer<Result>;
  readonly encode: (result: Result) => string;
  readonly rowsAtOnce?: number;
}

/**
 * Answers the rows of the input file, and writes the answers to the output file. After an error, an
 * existing output file is unchanged.
 *
 * @throws ERR_CLI_ROW for an invalid row. With `--on-error line`, after all rows are answered.
 */
export async function answerFile<Result>(answering: Answering<Result>, flags: AnswerFlags): Promise<void> {
  const output = await openText(flags.output);
  let counts: Counts;
  try {
    counts = await attempt(inputName(flags), () => answerAll(answering, flags, output));
  } catch (fault) {
    await output.abort();
    throw fault;
  }
  await output.end();
  if (counts.invalid > 0)
    throw cliError('ERR_CLI_ROW', {
      received: `${counts.invalid} invalid of ${counts.rows} rows`,
      hint: 'the answers hold the reason for each of them',
    });
}

const inputName = ({ input }: AnswerFlags) => (input === STANDARD_STREAM ? 'standard input' : input);

interface Counts {
  rows: number;
  invalid: number;
}

/**
 * Answers all rows of the input, a group at a time, and writes the answers. Returns how many rows
 * there were, and how many of them were invalid.
 */
async function answerAll<Result>(
  answering: Answering<Result>,
  flags: AnswerFlags,
  output: TextOutput,
): Promise<Counts> {
  const counts: Counts = { rows: 0, invalid: 0 };
  const { inputs, rowsAtOnce } = answering;
  for await (const group of rowGroups(flags.input, inputName(flags), inputs, flags, rowsAtOnce)) {
    const lines =
      flags.onError === 'line'
        ? await linesOfEach(group, answering, counts)
        : await linesOf(group, answering, flags.single);
    counts.rows += group.length;
    await output.write(lines.join(''));
  }
  return counts;
}

/**
 * Returns the answers to rows as lines of JSON.
 *
 * @throws the error of the first invalid row.
 */
async function linesOf<Result>(
  group: RowGroup,
  { answer, encode }: Answering<Result>,
  single?: true,
): Promise<string[]> {
  const { rows, error } = validRows(group);
  const answers = rows.length === 0 ? [] : await answerRows(rows, answer, single);
  if (error !== undefined) throw error;
  return answers.map((one) => `${encode(one)}\n`);
}

/**
 * Returns the answers to rows as lines of JSON. The line of an invalid row contains its error, and
 * `counts.invalid` grows.
 */
async function linesOfEach<Result>(
  rows: RowGroup,
  { answer, encode }: Answering<Result>,
  counts: Counts,
): Promise<string[]> {
  const valid = rows.filter((row): row is NumberedRow => !('error' in row));
  const answers = valid.length === 0 ? [] : await answerEach(valid, answer);
  let next = 0;
  return rows.map((row) => {
    const result = 'error' in row ? row.error : answers[next++]!;
    if (!(result instanceof Error)) return `${encode(result as Result)}\n`;
    if (!(result instanceof BrezelError)) throw result;
    counts.invalid += 1;
    const { code, message } = result;
    return `${JSON.stringify({ error: { code, message, hint: hintOf(result), line: row.line } })}\n`;
  });
}
