import { BrezelError } from 'brezel';

/** Returns the code of the error that a function throws, or `no error`. Rethrows other errors. */
export function codeOf(run: () => unknown): string {
  try {
    run();
    return 'no error';
  } catch (error) {
    if (error instanceof BrezelError) return error.code;
    throw error;
  }
}

/** The fields of an error that a fleet must not change. */
export interface ErrorFields {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly statusCode: number;
  readonly type: string;
  readonly details: unknown;
}

/** Returns the fields of the error with which a promise rejects. */
export async function errorOf(promise: Promise<unknown>): Promise<ErrorFields> {
  const error: unknown = await promise.then(
    () => {
      throw new Error('expected an error');
    },
    (reason: unknown) => reason,
  );
  if (!(error instanceof BrezelError)) throw error;
  const { name, code, message, hint, statusCode, type, details } = error;
  return { name, code, message, hint, statusCode, type, details };
}
