import { BackendError, BrezelError, NativeError, RegistryError, TensorError } from 'brezel';
import { NatsError, natsError } from './errors.js';

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

const DETAILS = ['expected', 'received', 'at', 'row', 'input', 'index', 'hint'] as const;

/** Converts an error of Brezel to a form that can be sent. */
export function sentError({ name, code, message, hint, statusCode, details }: BrezelError): SentError {
  const present = DETAILS.filter((field) => details[field] !== undefined);
  const sent = Object.fromEntries(present.map((field) => [field, details[field]]));
  return { name, code, message, hint, statusCode, details: sent };
}

/**
 * Returns the error in a message, with the fields of the original error. If the class of the
 * original error is not exported by `brezel`, the error is a `BrezelError` with the same name.
 *
 * @throws ERR_NATS_MESSAGE if the message does not contain an error.
 */
export function receivedError(sent: unknown): BrezelError {
  const fields = (typeof sent === 'object' && sent !== null ? sent : {}) as Readonly<Record<string, unknown>>;
  const { name, code, message, hint, statusCode, details } = fields;
  const texts = [name, code, message, hint].every((field) => typeof field === 'string');
  const isDetails = typeof details === 'object' && details !== null;
  if (!texts || typeof statusCode !== 'number' || !isDetails)
    throw natsError('ERR_NATS_MESSAGE', { expected: 'the fields of an error', received: 'other fields' });
  const table = { message, hint, statusCode } as { message: string; hint: string; statusCode: number };
  const type = classes.get(name as string) ?? BrezelError;
  return Object.assign(new type(code as string, table), { name, details });
}

const ROW = /\brow (\d+)\b/;

/**
 * Returns the error with the index of its row increased by the number of rows in earlier messages
 * of the same batch.
 */
export function withRowsBefore(error: BrezelError, before: number): BrezelError {
  const { details } = error;
  const { at, row } = details;
  if (row === undefined || at === undefined || before === 0) return error;
  const moved = at.replace(ROW, (_, index: string) => `row ${Number(index) + before}`);
  const message = error.message.replace(` at ${at}`, () => ` at ${moved}`);
  return Object.assign(error, { message, details: { ...details, at: moved, row: row + before } });
}
