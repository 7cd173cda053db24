import { Pool } from 'undici';
import type { Address } from './address.js';
import { externalError } from './errors.js';

/** One HTTP request to a replica. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
}

/** The answer of a replica: its status, its headers, and its whole body. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface ConnectionOptions {
  readonly token?: string | undefined;
  readonly concurrency: number;
  readonly maxAnswerBytes: number;
}

/** The HTTP connections to one replica. A connection carries one request at a time. */
export class Connection {
  readonly #address: Address;
  readonly #options: ConnectionOptions;
  #pool: Pool;
  #isClosed = false;

  constructor(address: Address, options: ConnectionOptions) {
    this.#address = address;
    this.#options = options;
    this.#pool = this.#newPool();
  }

  /**
   * Sends a request and reads the whole answer. Only the signal ends a request that takes too long.
   * @throws the reason of the signal; the errors of undici; ERR_EXTERNAL_ANSWER for an answer with
   * more than `maxAnswerBytes`.
   */
  async send({ method, path, headers, body, signal }: HttpRequest): Promise<HttpAnswer> {
    const { token, maxAnswerBytes } = this.#options;
    const answer = await this.#pool.request({
      method,
      path: `${this.#address.path}${path}`,
      headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      body: body ?? null,
      signal,
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes)
        throw externalError('ERR_EXTERNAL_ANSWER', {
          expected: `at most ${maxAnswerBytes} bytes (maxAnswerBytes)`,
          received: 'more bytes',
          at: this.#address.label,
        });
      chunks.push(chunk);
    }
    return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) };
  }

  /**
   * Replaces all connections. Requests in flight end on the old connections. Call it after an
   * invalid answer, because the rest of such an answer must not become the answer to another
   * request.
   */
  renew(): void {
    if (this.#isClosed) return;
    const old = this.#pool;
    this.#pool = this.#newPool();
    old.close().catch(() => undefined);
  }

  /** Closes the connections after the requests in flight have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.close();
  }

  #newPool(): Pool {
    const { concurrency } = this.#options;
    const { origin, socketPath } = this.#address;
    // The additional connection is for probes, so that they do not wait for requests.
    return new Pool(origin, {
      ...(socketPath !== undefined && { socketPath }),
      connections: concurrency + 1,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }
}

/**
 * Codes of errors that occur before a request is sent. The request can then be sent to another
 * replica.
 */
const UNSENT: ReadonlySet<unknown> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * System calls that run before a connection exists. Errors of `read` and `write` can have the codes
 * of `UNSENT`, but occur after a part of the request was sent.
 */
const CONNECTING: ReadonlySet<unknown> = new Set([undefined, 'connect', 'getaddrinfo']);

/** Returns whether a request failed before the replica could have received any part of it. */
export function isUnsent(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isUnsent);
  const { code, syscall } = (error ?? {}) as { readonly code?: unknown; readonly syscall?: unknown };
  return UNSENT.has(code) && CONNECTING.has(syscall);
}
