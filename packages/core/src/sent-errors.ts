import { BrezelError, InternalError, OperatorError, RowError } from './errors.js';

// Sends errors from one thread to another. A structured clone of an error drops its class and its
// fields.

/** An error in a form that can be sent to another thread. A cause is sent as a separate object. */
export interface SentError {
  /** Index of the error's class in the list of classes, which both threads share. */
  readonly type: number;
  readonly message: string;
  /** The name of the error, if it differs from the name that the class defines. */
  readonly name?: string;
  readonly stack: string | undefined;
  /** All fields of the error except its cause: code, hint, details, and the fields of its class. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly cause?: SentError;
}

/** A class of errors. Its constructor is never called. */
export type ErrorClass = abstract new (...args: never[]) => Error;

/** The classes that exist in every thread. */
const common: readonly ErrorClass[] = [
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  BrezelError,
  InternalError,
  RowError,
  OperatorError,
];

/**
 * The largest number of nested causes that are sent. Deeper causes are dropped, so that a cycle of
 * causes ends.
 */
const MOST_CAUSES = 16;

/**
 * Converts errors to a form that can be sent, and restores them. The sending and the receiving
 * thread must use the same list of classes.
 */
export class ErrorSender {
  readonly #classes: readonly ErrorClass[];

  /**
   * @param classes further classes, in addition to `common`. A base class comes before its
   * subclasses.
   */
  constructor(classes: readonly ErrorClass[]) {
    this.#classes = [...common, ...classes];
  }

  /** Converts an error to a form that can be sent to another thread. */
  send(error: unknown, depth = 0): SentError {
    if (!(error instanceof Error)) return { type: 0, message: textOf(error), stack: undefined, fields: {} };
    const type = this.#typeOf(error);
    const cause = attempt(() => error.cause);
    const stack = attempt(() => error.stack);
    const name = attempt(() => error.name);
    const isNamed = name !== this.#classes[type]!.prototype.name && !(error instanceof BrezelError);
    return {
      type,
      message: textOf(attempt(() => error.message)),
      stack: typeof stack === 'string' ? stack : undefined,
      fields: attempt(() => fieldsOf(error)) ?? {},
      ...(isNamed && { name: textOf(name) }),
      ...(cause !== undefined && depth < MOST_CAUSES && { cause: this.send(cause, depth + 1) }),
    };
  }

  /** Returns the error that `send` converted, with its class, fields and causes. */
  receive({ type, message, name, stack, fields, cause: sent }: SentError): Error {
    const cause = sent && this.receive(sent);
    const error = new Error(message, cause && { cause });
    Object.setPrototypeOf(error, this.#classes[type]!.prototype);
    Object.assign(error, fields);
    if (name !== undefined) Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
    if (stack !== undefined) error.stack = stack;
    if (error instanceof BrezelError && cause !== undefined)
      Object.assign(error, { details: { ...error.details, cause } });
    return error;
  }

  /**
   * Returns the index of the class of an error. If this class is not in the list, returns the index
   * of the nearest base class in the list.
   */
  #typeOf(error: Error): number {
    const exact = (this.#classes as readonly unknown[]).indexOf(error.constructor);
    return exact >= 0 ? exact : this.#classes.findLastIndex((type) => error instanceof type);
  }
}

/** Returns the fields of an error. Fields and details that cannot be cloned are dropped. */
function fieldsOf(error: Error): Record<string, unknown> {
  if (!(error instanceof BrezelError)) return sendable(error, ['cause', 'message', 'stack', 'name']);
  const details = sendable(error.details, ['cause']);
  return { ...sendable(error, ['cause', 'message', 'stack']), details };
}

const sendable = (fields: object, without: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => !without.includes(name) && canBeSent(value)));

/**
 * Returns a value as text. User code may throw any value, even a value that cannot be converted to
 * a text.
 */
const textOf = (value: unknown): string => attempt(() => String(value)) ?? `a value without text (${typeof value})`;

/** Reads a value of user code. Returns undefined if its getter or its conversion throws. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function canBeSent(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}
