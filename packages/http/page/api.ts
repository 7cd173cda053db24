/** An error response of the server. */
export class ResponseError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Reads JSON from a path of the server. @throws ResponseError */
export const getJson = <T>(path: string): Promise<T> => answerOf<T>(fetch(path));

/** Sends JSON to a path of the server, and returns the answer. @throws ResponseError */
export const postJson = <T>(path: string, body: unknown): Promise<T> =>
  answerOf<T>(
    fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );

/** Writes a reference to a model as a part of a path. */
export const inPath = (reference: string): string => encodeURIComponent(reference);

async function answerOf<T>(sent: Promise<Response>): Promise<T> {
  const response = await sent;
  const body = await response.json();
  if (response.ok) return body as T;
  const { error, hint } = body as { readonly error: string; readonly hint?: string };
  throw new ResponseError(response.status, hint === undefined ? error : `${error}; ${hint}`);
}
