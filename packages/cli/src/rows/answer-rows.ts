import { BrezelError } from '@brezel/core';
import type {
  Answer,
  ContributionOptions,
  EngineName,
  ExplainedAnswer,
  RegisteredPlan,
  Row,
  Runtime,
} from '@brezel/runtime';
import { CliError, cliError } from '../errors.js';
import type { NumberedRow } from './rows.js';

/** A function that answers rows of a file. Each row has its line number, which errors report. */
export type Answerer<One = Answer> = (rows: readonly NumberedRow[]) => Promise<One[]>;

export function answerer(runtime: Runtime, plan: RegisteredPlan, engine: EngineName): Answerer {
  if (engine === 'request-response') return async (rows) => rows.map((row) => runtime.predictSync(plan, row.fields));
  return (rows) => runtime.predictBatch(plan, fieldsOf(rows), { engine });
}

/** Returns a function that answers rows and explains the answers. */
export const explainingAnswerer =
  (
    runtime: Runtime,
    plan: RegisteredPlan,
    engine: EngineName,
    contributions: ContributionOptions,
  ): Answerer<ExplainedAnswer> =>
  (rows) =>
    runtime.predictBatch(plan, fieldsOf(rows), { engine, contributions });

/** Returns the rows of a file as the runtime accepts them. */
export const fieldsOf = (rows: readonly NumberedRow[]): Row[] => rows.map((row) => row.fields as Row);

/**
 * Returns the answers of all rows. If a row is invalid, throws an error and returns no answers.
 * With `single`, calls `answer` once for each row.
 * @throws ERR_CLI_ROW for an invalid row, with its line number.
 */
export async function answerRows<One>(
  rows: readonly NumberedRow[],
  answer: Answerer<One>,
  single = false,
): Promise<One[]> {
  if (!single) return answer(rows).catch((fault) => rethrowWithLine(fault, rows, answer));
  const answers: One[] = [];
  for (const row of rows)
    answers.push(...(await answer([row]).catch((fault) => rethrowWithLine(fault, [row], answer))));
  return answers;
}

/**
 * Runs the rows one by one to find the line of the invalid row, and throws its error with this
 * line. The error of a batch has only the index of the row in the batch.
 */
async function rethrowWithLine(
  fault: unknown,
  rows: readonly NumberedRow[],
  answer: Answerer<unknown>,
): Promise<never> {
  for (const row of rows) await answer([row]).catch((cause) => Promise.reject(withLine(cause, row)));
  throw fault;
}

/**
 * Returns an answer for each row. For an invalid row, returns an error with the row's line number
 * in the place of its answer.
 */
export async function answerEach<One>(
  rows: readonly NumberedRow[],
  answer: Answerer<One>,
): Promise<(One | CliError)[]> {
  try {
    return await answer(rows);
  } catch (fault) {
    if (!isRowError(fault)) throw fault;
  }
  const answers: (One | CliError)[] = [];
  for (const row of rows) {
    const [answered] = await answer([row]).catch((cause) => {
      const error = withLine(cause, row);
      if (error instanceof CliError) return [error];
      throw error;
    });
    answers.push(answered!);
  }
  return answers;
}

const isRowError = (fault: unknown): fault is BrezelError =>
  fault instanceof BrezelError && fault.code === 'ERR_RUNTIME_INPUT';

/** Returns the error of an invalid row with its line. Returns any other error unchanged. */
export function withLine(cause: unknown, row: NumberedRow): unknown {
  if (!isRowError(cause)) return cause;
  const { expected, received, at = '' } = cause.details;
  const location = [`line ${row.line}`, at.replace(/^(background, )?row \d+(, )?/, '')].filter(Boolean).join(', ');
  return cliError('ERR_CLI_ROW', { expected, received, at: location, cause });
}
