/**
 * Describes an error in addition to its code: what was expected, what was received, where, and what
 * to do.
 */
export interface ErrorDetails {
  /** The expected value, as a short noun phrase. */
  readonly expected?: string;
  /** The received value. */
  readonly received?: string;
  /** The location: an operator, a field, a stage, or a byte offset. */
  readonly at?: string;
  /** The index of the row in the request, if the error is about one row. */
  readonly row?: number;
  /** The name of the input, if the error is about one input of the row. */
  readonly input?: string;
  /** The index of the element, if the error is about one element of a list. */
  readonly index?: number;
  /** What the user should try next. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/**
 * One entry of a package's error table: the message of an error code, and the hint if no other hint
 * is passed.
 */
export interface ErrorRow {
  readonly message: string;
  readonly hint: string;
  /** The HTTP status that a service should answer with. Default 500. */
  readonly statusCode?: number;
}

export type ErrorTable = Readonly<Record<string, ErrorRow>>;

/**
 * Base class of every error that Brezel throws. The class names the part to fix (program, plan,
 * parameters, file); `code` names the problem.
 *
 * @example
 * try {
 *   importOnnx(bytes, flour);
 * } catch (error) {
 *   if (error instanceof BrezelError) console.error(error.code, error.hint);
 * }
 */
export class BrezelError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly details: ErrorDetails;
  /**
   * The HTTP status that a service should answer with: 400 for an invalid row, 503 for an overload.
   * fastify reads this field. docs/errors.md lists the status of each code.
   */
  readonly statusCode: number;
  /** The URI of the problem type (RFC 9457). It depends on `code` only, and never changes. */
  readonly type: string;

  constructor(code: string, row: ErrorRow, details: ErrorDetails = {}) {
    super(wellFormed(describe(row, details)), details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.details = details;
    this.hint = details.hint ?? row.hint;
    this.statusCode = row.statusCode ?? 500;
    this.type = `urn:brezel:error:${code}`;
    this.name = new.target.name;
  }

  /** Returns a text of two lines for people: the message, and below it the hint. */
  explain(): string {
    return `${this.name} [${this.code}]: ${this.message}\n  hint: ${this.hint}`;
  }
}

/**
 * Replaces half surrogate pairs. A text with half a pair has no UTF-8, and `encodeURI` throws an
 * error for it.
 */
const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, '\ufffd');

/**
 * The largest number of characters of a text in an error message. A model file can contain very
 * long names and patterns. `details` contains the whole text.
 */
const SHOWN_CHARACTERS = 1000;
/** The first half of a surrogate pair whose second half is cut off. */
const HALF_PAIR = /[\ud800-\udbff]$/;
const clip = (text: string | undefined) =>
  text === undefined || text.length <= SHOWN_CHARACTERS
    ? text
    : `${text.slice(0, SHOWN_CHARACTERS).replace(HALF_PAIR, '')}…`;

function describe(row: ErrorRow, details: ErrorDetails): string {
  const [expected, received, at] = [clip(details.expected), clip(details.received), clip(details.at)];
  const location = at === undefined ? '' : ` at ${at}`;
  if (expected !== undefined && received !== undefined) return `expected ${expected}${location}, received ${received}`;
  if (expected !== undefined) return `expected ${expected}${location}`;
  if (received !== undefined) return `${row.message}${location}: ${received}`;
  return `${row.message}${location}`;
}

/** A bug in Brezel, never a mistake of the caller. Please report it. */
export class InternalError extends BrezelError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('ERR_INTERNAL', { message, hint: 'this is a bug in Brezel: please report it with the model' }, details);
  }
}

/**
 * Thrown by a reference kernel if its operator does not accept a value of a row. The schema check
 * cannot detect such a value. The runtime rethrows it as ERR_RUNTIME_INPUT.
 */
export class RowError extends BrezelError {
  /** Index of the row in the block. */
  readonly row: number;

  constructor(row: number, details: ErrorDetails) {
    super('ERR_ROW', UNSUPPORTED_VALUE, { at: `row ${row}`, hint: UNSUPPORTED_VALUE.hint, ...details });
    this.row = row;
  }
}

/**
 * Thrown by the reference kernel of a custom operator when the user's function threw or returned a
 * value of the wrong type. The runtime rethrows it as ERR_RUNTIME_CUSTOM with the name of the plan.
 */
export class OperatorError extends BrezelError {
  readonly operator: string;
  /** Index of the row in the block; undefined when the error concerns the whole block. */
  readonly row: number | undefined;

  constructor(operator: string, row: number | undefined, details: ErrorDetails) {
    const at = row === undefined ? operator : `${operator}, row ${row}`;
    super('ERR_OPERATOR', OPERATOR_FAILED, { at, ...details });
    this.operator = operator;
    this.row = row;
  }
}

const OPERATOR_FAILED = {
  message: 'a custom operator failed',
  hint: 'fix the function, or the rows that you pass to it',
};
const UNSUPPORTED_VALUE = {
  message: 'unsupported value',
  statusCode: 400,
  hint: 'send values like those that the pipeline was trained on',
};

/**
 * Returns a function that creates errors of one class. TypeScript accepts only the codes of the
 * given table.
 *
 * @example
 * const fail = thrower(FlourError, flourErrors);
 * const error = fail('ERR_FLOUR_TYPE', { expected: 'text', received: 'scalar' });
 */
export function thrower<Table extends ErrorTable, E extends BrezelError>(
  type: new (code: string, row: ErrorRow, details?: ErrorDetails) => E,
  table: Table,
): (code: keyof Table & string, details?: ErrorDetails) => E {
  return (code, details) => new type(code, table[code]!, details);
}
