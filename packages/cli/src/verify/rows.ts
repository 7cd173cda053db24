import { BrezelError } from '@brezel/core';
import type { Answer, RegisteredPlan } from '@brezel/runtime';
import { createFlour, createRuntime, ownBackends, type Tolerance } from 'brezel';
import { cliError } from '../errors.js';
import { onlyOneStandardInput, STANDARD_STREAM, writeStandardOutput } from '../files.js';
import { attempt, type ModelChoices } from '../models.js';
import { type Answerer, answerEach, answerer } from '../rows/answer-rows.js';
import { type RowGroup, rowGroups } from '../rows/row-groups.js';
import { type RowFlags as RowChoices, rowOptions } from '../rows/row-options.js';
import type { NumberedRow } from '../rows/rows.js';
import { registeredPlan } from '../sources.js';
import { count, printable } from '../text/table.js';
import { type AnswerDifference, compareAnswer } from './compare-answer.js';
import { type ExpectedAnswer, type ExpectedAnswers, openExpected } from './expected-answers.js';

/** The largest number of differing rows that the report contains. */
const SHOWN_ROWS = 10;

export interface RowFlags extends RowChoices {
  readonly rows: string;
  readonly expected: string;
  readonly csv?: true;
  readonly json?: true;
}

interface DifferentRow {
  /** The line number of the row. */
  readonly line: number;
  readonly differences: readonly AnswerDifference[];
}

interface Result {
  rows: number;
  agree: number;
  /** The first rows whose answers differ, at most `SHOWN_ROWS`. */
  readonly different: DifferentRow[];
}

/**
 * Answers rows and compares the answers with a file of expected answers, while it reads both files.
 *
 * @throws ERR_CLI_DIFFERENCE if a row differs; ERR_CLI_EXPECTED if the files do not match.
 */
export async function verifyRows(
  path: string,
  flags: RowFlags,
  choices: ModelChoices,
  tolerance: Tolerance,
): Promise<void> {
  onlyOneStandardInput([path, flags.rows, flags.expected]);
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, backends: ownBackends(), isolated: true });
  const plan = await registeredPlan(path, flour, runtime, choices, rowOptions(flags));
  const expected = await openExpected(flags.expected, plan.outputs);
  let result: Result;
  try {
    result = await compareAll(plan, answerer(runtime, plan, 'batch'), expected, flags, tolerance);
  } finally {
    await expected.close();
  }
  const outputs = expected.outputs.map(({ name }) => name);
  const facts = { file: path, rtol: tolerance.rtol, atol: tolerance.atol, outputs, ...result };
  await writeStandardOutput(flags.json ? `${JSON.stringify(facts, null, 2)}\n` : resultText(facts));
  if (result.agree < result.rows)
    throw cliError('ERR_CLI_DIFFERENCE', {
      received: `${count(result.rows - result.agree, 'differing row')} of ${result.rows}`,
      at: path,
    });
}

async function compareAll(
  plan: RegisteredPlan,
  answer: Answerer,
  expected: ExpectedAnswers,
  flags: RowFlags,
  tolerance: Tolerance,
): Promise<Result> {
  const label = flags.rows === STANDARD_STREAM ? 'standard input' : flags.rows;
  const next = () => attempt(flags.expected, expected.next);
  const result: Result = { rows: 0, agree: 0, different: [] };
  for await (const group of attemptEach(label, rowGroups(flags.rows, label, plan.inputs, flags))) {
    const answers = await answersOf(group, answer);
    for (const [at, { line }] of group.entries()) {
      const wanted = await next();
      if (wanted === undefined) throw wrongCount(flags, 'an answer for each row', `${result.rows} answers, more rows`);
      const differences = differencesOf(wanted, answers[at]!, expected, tolerance);
      result.rows += 1;
      if (differences.length === 0) result.agree += 1;
      else if (result.different.length < SHOWN_ROWS) result.different.push({ line, differences });
    }
  }
  if ((await next()) !== undefined) throw wrongCount(flags, count(result.rows, 'answer'), 'more answers than rows');
  return result;
}

/** Yields the items of a generator, and adds the name of the file to its errors. */
async function* attemptEach<T>(path: string, items: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    for (;;) {
      const { value, done } = await attempt(path, () => items.next());
      if (done) return;
      yield value;
    }
  } finally {
    await items.return(undefined);
  }
}

const wrongCount = ({ expected: at }: RowFlags, expected: string, received: string) =>
  cliError('ERR_CLI_EXPECTED', { expected, received, at });

/** Returns the answers to the rows of a group. For an invalid row, returns its error instead. */
async function answersOf(group: RowGroup, answer: Answerer): Promise<(Answer | BrezelError)[]> {
  const valid = group.filter((row): row is NumberedRow => !('error' in row));
  const answers = valid.length === 0 ? [] : await answerEach(valid, answer);
  let next = 0;
  return group.map((row) => {
    if (!('error' in row)) return answers[next++]!;
    if (row.error instanceof BrezelError) return row.error;
    throw row.error;
  });
}

function differencesOf(
  { values, errorCode }: ExpectedAnswer,
  answer: Answer | BrezelError,
  { outputs }: ExpectedAnswers,
  tolerance: Tolerance,
): AnswerDifference[] {
  if (answer instanceof BrezelError)
    return answer.code === errorCode
      ? []
      : [{ output: 'the row', expected: errorCode ?? 'an answer', received: `${answer.code}: ${answer.message}` }];
  if (values === undefined) return [{ output: 'the row', expected: errorCode!, received: 'an answer' }];
  return compareAnswer(outputs, values, answer, tolerance);
}

function resultText(
  facts: Result & Tolerance & { readonly file: string; readonly outputs: readonly string[] },
): string {
  const lines = facts.different.flatMap(({ line, differences }) =>
    differences.map(
      ({ output, expected, received }) =>
        `  line ${line}, ${printable(output)}: ${printable(received)} instead of ${printable(expected)}\n`,
    ),
  );
  const left = facts.rows - facts.agree - facts.different.length;
  return [
    `${printable(facts.file)}  outputs ${printable(facts.outputs.join(', '))}, rtol ${facts.rtol}, atol ${facts.atol}\n`,
    `  ${facts.agree} of ${count(facts.rows, 'row')} agree\n`,
    ...lines,
    ...(left > 0 ? [`  and ${count(left, 'more row')}\n`] : []),
  ].join('');
}
