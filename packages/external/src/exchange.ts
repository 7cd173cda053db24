import { listAt, objectAt } from '@brezel/oip';
import type { HttpAnswer, HttpRequest } from './connection.js';
import { ExternalError, externalError } from './errors.js';
import { type InferRequest, readAnswer } from './messages.js';
import type { CheckedOptions } from './options.js';
import type { Replica } from './replica.js';
import { type ExternalPort, type Schema, schemaOf } from './schema.js';

/**
 * The inputs and outputs of a model, and whether its server supports binary tensors, as a replica
 * reports them.
 */
export interface Described {
  readonly schema: Schema;
  /** True if the server supports the binary tensors of Triton's extension. */
  readonly isBinary: boolean;
}

/** Exchanges messages with one replica: the metadata of the model, and inference requests. */
export class Exchange {
  readonly #options: CheckedOptions;
  readonly #path: string;

  constructor(options: CheckedOptions) {
    this.#options = options;
    const { model, version } = options;
    const versions = version === undefined ? '' : `/versions/${encodeURIComponent(version)}`;
    this.#path = `/v2/models/${encodeURIComponent(model)}${versions}`;
  }

  /**
   * Reads the metadata of the model, and the extensions of the server.
   *
   * @throws ERR_EXTERNAL_MODEL, ERR_EXTERNAL_REPLICA, ERR_EXTERNAL_LOST, ERR_EXTERNAL_TIMEOUT, or
   * the reason of the signal.
   */
  async describe(replica: Replica, signal: AbortSignal): Promise<Described> {
    const model = await this.#send(replica, { method: 'GET', path: this.#path }, signal);
    this.#checkStatus(replica, model);
    const server = await this.#send(replica, { method: 'GET', path: '/v2' }, signal);
    const schema = schemaOf(jsonOf(model), this.#options, replica.label);
    return { schema, isBinary: hasBinary(jsonOf(server)) };
  }

  /**
   * Connects to a replica.
   * @throws ERR_EXTERNAL_LOST if the replica does not accept connections.
   */
  async ping(replica: Replica, signal: AbortSignal): Promise<void> {
    await this.#send(replica, { method: 'GET', path: '/v2/health/live' }, signal);
  }

  /**
   * Sends an inference request, and returns the elements of the outputs.
   *
   * @throws ERR_EXTERNAL_ANSWER, ERR_EXTERNAL_REPLICA, ERR_EXTERNAL_LOST, ERR_EXTERNAL_TIMEOUT, or
   * the reason of the signal.
   */
  async infer(replica: Replica, request: InferRequest, outputs: readonly ExternalPort[], signal: AbortSignal) {
    const { headers, body } = request;
    const answer = await this.#send(replica, { method: 'POST', path: `${this.#path}/infer`, headers, body }, signal);
    this.#checkStatus(replica, answer);
    return readAnswer(answer, request, outputs, replica.label);
  }

  /**
   * Sends a request. Without an answer, the request fails when the signal aborts, or after
   * `timeoutMs`.
   */
  async #send(replica: Replica, request: Omit<HttpRequest, 'signal'>, signal: AbortSignal): Promise<HttpAnswer> {
    signal.throwIfAborted();
    const { clock, timeoutMs } = this.#options;
    const own = new AbortController();
    const onAbort = () => own.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const timer = clock.setTimeout(() => own.abort(timeout(replica, timeoutMs)), timeoutMs).unref();
    try {
      return await replica.connection.send({ ...request, signal: own.signal });
    } catch (error) {
      if (own.signal.aborted) throw own.signal.reason;
      throw error instanceof ExternalError ? error : lost(replica, error);
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Checks the status of an answer.
   * @throws ERR_EXTERNAL_REPLICA for an error of the request; ERR_EXTERNAL_LOST for a status that
   * servers and proxies send while they are unavailable.
   */
  #checkStatus({ label }: Replica, answer: HttpAnswer): void {
    if (answer.status === 200) return;
    const received = `status ${answer.status}: ${this.#errorText(answer)}`;
    const code = UNAVAILABLE.has(answer.status) ? 'ERR_EXTERNAL_LOST' : 'ERR_EXTERNAL_REPLICA';
    throw externalError(code, { expected: 'status 200', received, at: label });
  }

  /**
   * Returns the error message in an answer. Replaces the token by `***`, because a server may
   * repeat it in the message.
   */
  #errorText(answer: HttpAnswer): string {
    const { error } = (jsonOf(answer) ?? {}) as { readonly error?: unknown };
    const whole = typeof error === 'string' ? error : answer.body.toString('utf8', 0, GREATEST_BODY);
    const { token } = this.#options;
    const text = token === undefined ? whole : whole.replaceAll(token, '***');
    return text.slice(0, GREATEST_TEXT).trim() || 'no message';
  }
}

const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504]);
const GREATEST_TEXT = 300;
/**
 * If an error response has no message, the start of its body becomes the message. Brezel reads this
 * many bytes of the body and replaces the token in them. Then it cuts the message to
 * `GREATEST_TEXT` characters. In this order, no part of a token remains at the end of the message.
 */
const GREATEST_BODY = 10_000;

function timeout({ label }: Replica, timeoutMs: number): ExternalError {
  const expected = `an answer within ${timeoutMs} ms`;
  return externalError('ERR_EXTERNAL_TIMEOUT', { expected, received: 'no answer', at: label });
}

function lost({ label }: Replica, error: unknown): ExternalError {
  const { code, message = String(error) } = (error ?? {}) as { readonly code?: string; readonly message?: string };
  const received = [code, message].filter((part) => part !== undefined && part !== '').join(': ');
  return externalError('ERR_EXTERNAL_LOST', { received: received.slice(0, GREATEST_TEXT), at: label, cause: error });
}

/** Returns the parsed body, or undefined if it is not JSON. */
function jsonOf({ body }: HttpAnswer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** Triton's name of the extension for tensors as bytes. */
const BINARY_EXTENSION = 'binary_tensor_data';

/** Returns whether the metadata of a server lists the extension. The metadata is optional. */
function hasBinary(server: unknown): boolean {
  try {
    return listAt(objectAt(server, 'the server').extensions, 'extensions').includes(BINARY_EXTENSION);
  } catch {
    return false;
  }
}
