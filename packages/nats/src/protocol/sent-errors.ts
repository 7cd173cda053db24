import { BackendError, BrezelError, NativeError, RegistryError, TensorError } from 'brezel';
import { NatsError, natsError } from '../errors.js';

type ErrorDetails = BrezelError['details'];

/** An error in a message. The cause and the stack of the error stay on the server. */
export interface SentError {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly statusCode: number;
  readonly details: ErrorDetails;
}

/** The classes of errors that clients can name. Other errors are `BrezelError`s. */
const classes: ReadonlyMap<string, typeof BrezelError> = new Map(
  [RegistryError, BackendError, NativeError, TensorError, NatsError].map((type) => [type.name, type]),
);

const isText = (value: unknown) => typeof value === 'string';
const isIndex = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

/** The details that are sent, and the check of each received value. */
const details = {
  expected: isText,
  received: isText,
  at: isText,
  row: isIndex,
  input: isText,
  index: isIndex,
  hint: isText,
} as const;

/** Converts an error of Brezel to a form that can be sent. */
export function sentError(error: BrezelError): SentError {
  const { name, code, message, hint, statusCode } = error;
  return { name, code, message, hint, statusCode, details: validDetails(error.details) };
}

/** Returns the details that can be sent and whose values have the right type. */
function validDetails(all: object): ErrorDetails {
  const entries = Object.entries(details).map(([name, isValid]) => {
    const value: unknown = Object.hasOwn(all, name) ? all[name as keyof typeof all] : undefined;
    return isValid(value) ? [[name, value]] : [];
  });
  return Object.fromEntries(entries.flat());
}

/**
 * Returns the error in a message, with the fields of the original error. If the class of the
 * original error is not exported by `brezel`, the error is a `BrezelError` with the same name.
 * Details with a wrong type are dropped.
 *
 * @throws ERR_NATS_MESSAGE if the message does not contain an error.
 */
export function receivedError(sent: unknown): BrezelError {
  const fields = (typeof sent === 'object' && sent !== null ? sent : {}) as Readonly<Record<string, unknown>>;
  const { name, code, message, hint, statusCode, details: all } = fields;
  const isError = [name, code, message, hint].every(isText) && isErrorStatus(statusCode);
  if (!isError || typeof all !== 'object' || all === null)
    throw natsError('ERR_NATS_MESSAGE', { expected: 'the fields of an error', received: 'other fields' });
  const table = { message, hint, statusCode } as { message: string; hint: string; statusCode: number };
  const type = classes.get(name as string) ?? BrezelError;
  return Object.assign(new type(code as string, table), { name, details: validDetails(all) });
}

const isErrorStatus = (status: unknown) => isIndex(status) && (status as number) >= 400 && (status as number) < 600;

const ROW = /\brow (\d+)\b/;

/**
 * Returns the error with the index of its row increased by the number of rows in earlier messages
 * of the same batch. Other errors, also errors of other libraries, are returned as they are.
 */
export function withRowsBefore(error: unknown, before: number): unknown {
  if (!(error instanceof BrezelError) || before === 0) return error;
  const { at, row } = error.details;
  if (row === undefined || at === undefined) return error;
  const moved = at.replace(ROW, (_, index: string) => `row ${Number(index) + before}`);
  const message = error.message.replace(` at ${at}`, () => ` at ${moved}`);
  return Object.assign(error, { message, details: { ...error.details, at: moved, row: row + before } });
}
