import { BackendError, BrezelError, InternalError, OperatorError, RowError } from '@brezel/core';
import { FlourError } from '@brezel/flour';
import { GbdtError } from '@brezel/gbdt';
import { MlNetError } from '@brezel/mlnet';
import { StoreError } from '@brezel/object-store';
import { OnnxError, RowCountError } from '@brezel/onnx';
import { OvenError } from '@brezel/oven';
import { RuntimeError } from '@brezel/runtime';
import { TensorError } from '@brezel/tensors';
import { NativeError } from '../native-errors.js';

// Sends errors from one thread to another. A structured clone of an error drops its class and its
// fields.

/** The error classes of the code that imports and compiles. */
const classes = [
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  BrezelError,
  InternalError,
  RowError,
  OperatorError,
  BackendError,
  FlourError,
  GbdtError,
  MlNetError,
  StoreError,
  OnnxError,
  RowCountError,
  OvenError,
  RuntimeError,
  TensorError,
  NativeError,
];

/** An error in a form that can be sent to another thread. A cause is sent as a separate object. */
export interface PlainError {
  /** Index of the class in `classes`. */
  readonly type: number;
  readonly message: string;
  readonly stack: string | undefined;
  /** All fields except the cause: code, hint, details, and the fields of the class. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly cause?: PlainError;
}

/** Converts an error to a form that can be sent to another thread. */
export function plainErrorOf(error: unknown): PlainError {
  if (!(error instanceof Error)) return { type: 0, message: String(error), stack: undefined, fields: {} };
  const { message, stack, cause } = error;
  const sent = cause === undefined ? {} : { cause: plainErrorOf(cause) };
  return { type: typeOf(error), message, stack, fields: fieldsOf(error), ...sent };
}

/**
 * Returns the index of the class of an error. If the class is not in the list, returns the index of
 * its base class.
 */
function typeOf(error: Error): number {
  const exact = (classes as readonly unknown[]).indexOf(error.constructor);
  return exact >= 0 ? exact : classes.findLastIndex((type) => error instanceof type);
}

function fieldsOf(error: Error): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...error };
  if (!(error instanceof BrezelError)) return fields;
  const { cause: _, ...details } = error.details;
  return { ...fields, details };
}

/** Returns the error that `plainErrorOf` converted, with its class, fields and causes. */
export function errorOf({ type, message, stack, fields, cause: sent }: PlainError): Error {
  const cause = sent && errorOf(sent);
  const error = new Error(message, cause && { cause });
  Object.setPrototypeOf(error, classes[type]!.prototype);
  Object.assign(error, fields);
  if (stack !== undefined) error.stack = stack;
  if (error instanceof BrezelError && cause !== undefined)
    Object.assign(error, { details: { ...error.details, cause } });
  return error;
}
