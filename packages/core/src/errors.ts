/** What an error tells beside its code: what was wanted, what came, where, and what to do about it. */
export interface ErrorDetails {
  /** What the callee needed, as a short noun phrase. */
  readonly expected?: string;
  /** What it got instead. */
  readonly received?: string;
  /** Where: an operator, a field, a stage, a byte offset. */
  readonly at?: string;
  /** The next thing to try. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** One row of a package's error table: the meaning of a code, and the hint when the thrower has none of its own. */
export interface ErrorRow {
  readonly message: string;
  readonly hint: string;
}

export type ErrorTable = Readonly<Record<string, ErrorRow>>;

/**
 * Base of every error that Brezel throws. The class says whose turn it is (program, plan, parameters, load), the code what happened.
 *
 * @example
 * try { importOnnx(bytes, flour); } catch (error) { if (error instanceof BrezelError) console.error(error.code, error.hint); }
 */
export class BrezelError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly details: ErrorDetails;

  constructor(code: string, row: ErrorRow, details: ErrorDetails = {}) {
    super(describe(row, details), details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.details = details;
    this.hint = details.hint ?? row.hint;
    this.name = new.target.name;
  }

  /** Two lines for people: the message, then the hint. */
  explain(): string {
    return `${this.name} [${this.code}]: ${this.message}\n  hint: ${this.hint}`;
  }
}

/** Files decide how long lists and patterns in messages are; the full text stays in `details`. */
const SHOWN_CHARACTERS = 1000;
const clip = (text: string | undefined) =>
  text === undefined || text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;

function describe(row: ErrorRow, details: ErrorDetails): string {
  const [expected, received, at] = [clip(details.expected), clip(details.received), clip(details.at)];
  const place = at === undefined ? '' : ` at ${at}`;
  if (expected !== undefined && received !== undefined) return `expected ${expected}${place}, received ${received}`;
  if (expected !== undefined) return `expected ${expected}${place}`;
  if (received !== undefined) return `${row.message}${place}: ${received}`;
  return `${row.message}${place}`;
}

/** A fault of ours, never of the caller: please report it. */
export class InternalError extends BrezelError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('ERR_INTERNAL', { message, hint: 'this is a fault in Brezel, please report it with the model' }, details);
  }
}

/**
 * A value of a row that the program refuses: thrown by reference kernels, whose turn it is when no schema could tell. The runtime gives it to
 * its caller as ERR_RUNTIME_INPUT.
 */
export class RowError extends BrezelError {
  /** Index of the row in the block. */
  readonly row: number;

  constructor(row: number, details: ErrorDetails) {
    super('ERR_ROW', ROW_REFUSED, { at: `row ${row}`, hint: ROW_REFUSED.hint, ...details });
    this.row = row;
  }
}

/**
 * An operator of a user that threw, or gave what is not of its type: thrown by its reference kernel. The runtime gives it to its caller as
 * ERR_RUNTIME_CUSTOM, with the plan.
 */
export class OperatorError extends BrezelError {
  readonly operator: string;
  /** Index of the row in the block; undefined where all of the block is meant. */
  readonly row: number | undefined;

  constructor(operator: string, row: number | undefined, details: ErrorDetails) {
    const at = row === undefined ? operator : `${operator}, row ${row}`;
    super('ERR_OPERATOR', OPERATOR_FAILED, { at, ...details });
    this.operator = operator;
    this.row = row;
  }
}

const OPERATOR_FAILED = { message: 'a custom operator failed', hint: 'mend the function, or the rows it is given' };
const ROW_REFUSED = { message: 'a value that the program refuses', hint: 'send what the pipeline was trained on' };

/**
 * Binds a class of errors to its table, so that only listed codes can be thrown.
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
