import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { type Answer, BrezelError, type ModelRegistry, type Route } from 'brezel';
import { natsError } from './errors.js';
import { decodeRequest, encodeError, encodeReply, type RequestHead } from './messages.js';
import type { MessageHandler } from './model-subscriptions.js';
import { modelIn } from './reference.js';
import { type SentError, sentError } from './sent-errors.js';
import { signatureOf } from './signature.js';
import { Header } from './subjects.js';

/** The parts of a server that the handler of its requests needs. */
export interface HandlerParts {
  readonly registry: ModelRegistry;
  readonly connection: NatsConnection;
  readonly name: string;
  readonly maxInFlight: number;
  readonly logError: (error: unknown) => void;
}

/** A request that was received from NATS. */
interface Received extends RequestHead {
  readonly id: string;
  readonly deadlineMs: number | undefined;
  readonly rows: readonly unknown[];
}

/**
 * Answers the requests of clients with the models of a registry. A message that cannot be decoded
 * gets an error as its answer.
 */
export class RequestHandler implements MessageHandler {
  readonly #parts: HandlerParts;
  /** The requests in flight by their ids. */
  readonly #inFlight = new Map<string, AbortController>();
  #onIdle: (() => void)[] = [];
  #requests = 0;
  #errors = 0;

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  get statistics() {
    return { inFlight: this.#inFlight.size, requests: this.#requests, errors: this.#errors };
  }

  /** Waits until no request is in flight. */
  async idle(): Promise<void> {
    if (this.#inFlight.size > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  request(model: string, message: Msg): void {
    const { reply } = message;
    if (!reply) return; // without a reply subject, no client waits for an answer
    try {
      const request = received(model, message, reply);
      // A second attempt of a request in flight: the client waits for the answer to the first.
      if (this.#inFlight.has(request.id)) return;
      if (this.#inFlight.size >= this.#parts.maxInFlight) this.#fail(reply, this.#overloaded());
      else void this.#run(request, reply);
    } catch (error) {
      this.#fail(reply, this.#described(error));
    }
  }

  control(message: Msg): void {
    try {
      const id = message.headers?.get(Header.id) ?? '';
      const controller = this.#inFlight.get(id);
      const action = message.headers?.get(Header.control);
      if (action === 'cancel') controller?.abort();
      else if (action === 'status' && controller !== undefined && message.reply) this.#publish(message.reply);
    } catch (error) {
      this.#parts.logError(error);
    }
  }

  async #run(request: Received, reply: string): Promise<void> {
    const controller = new AbortController();
    this.#inFlight.set(request.id, controller);
    try {
      const bytes = await this.#answer(request, controller.signal);
      this.#requests++;
      this.#publish(reply, bytes);
    } catch (error) {
      if (!controller.signal.aborted) this.#fail(reply, this.#described(error));
    } finally {
      this.#inFlight.delete(request.id);
      if (this.#inFlight.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }

  async #answer({ verb, reference, key, rows, deadlineMs }: Received, signal: AbortSignal): Promise<Uint8Array> {
    const route = this.#parts.registry.route(reference, key === undefined ? undefined : { key });
    const options = { signal, ...(deadlineMs !== undefined && { deadlineMs }) };
    const answers = await answersOf[verb](route, rows, options);
    return encodeReply({ version: route.version, answers }, this.#maxPayload);
  }

  get #maxPayload(): number {
    return this.#parts.connection.info?.max_payload ?? DEFAULT_MAX_PAYLOAD;
  }

  #overloaded(): SentError {
    const { name: at, maxInFlight } = this.#parts;
    const expected = `at most ${maxInFlight} requests in flight`;
    return {
      name: 'RuntimeError',
      code: 'ERR_RUNTIME_OVERLOADED',
      statusCode: 503,
      message: `expected ${expected} at ${at}`,
      hint: 'let the caller try again later, add a server to the cluster, or increase maxInFlight of joinCluster',
      details: { expected, at },
    };
  }

  #described(error: unknown): SentError {
    if (error instanceof BrezelError) return sentError(error);
    this.#parts.logError(error);
    return sentError(natsError('ERR_NATS_FAILED', { at: this.#parts.name }));
  }

  #fail(reply: string, error: SentError): void {
    this.#requests++;
    this.#errors++;
    this.#publish(reply, encodeError(error));
  }

  /** Publishes an answer. If the connection is closed, the client sends its request again. */
  #publish(subject: string, bytes?: Uint8Array): void {
    try {
      this.#parts.connection.publish(subject, bytes);
    } catch (error) {
      this.#parts.logError(error);
    }
  }
}

/** The limit of a NATS server that does not report its limit. */
const DEFAULT_MAX_PAYLOAD = 2 ** 20;
const MAX_ID = 256;

type Limits = NonNullable<Parameters<Route['predict']>[1]>;

type Answers = (route: Route, rows: readonly unknown[], limits: Limits) => Promise<readonly Answer[]>;

/** How to answer a request, by its verb. */
const answersOf: Readonly<Record<RequestHead['verb'], Answers>> = {
  predict: async (route, rows, limits) => [await route.predict(rows[0] as never, limits as object)],
  predictBatch: (route, rows, limits) => route.predictBatch(rows as never, limits as object),
  describe: async (route, _, limits) => [signatureOf(await route.load(limits as object)) as unknown as Answer],
};

/**
 * Decodes and checks a request. An account may be limited to the subjects of some models, so the
 * request must be for the model of its subject.
 *
 * @throws ERR_NATS_MESSAGE, ERR_REGISTRY_REFERENCE
 */
function received(model: string, message: Msg, reply: string): Received {
  const id = message.headers?.get(Header.id) || reply;
  if (id.length > MAX_ID) throw invalid(`an id of at most ${MAX_ID} characters`, `${id.length} characters`);
  const request = decodeRequest(message.data);
  const named = modelIn(request.reference);
  if (named !== model) throw invalid(`a request for ${JSON.stringify(model)}`, JSON.stringify(named));
  return { ...request, id, deadlineMs: deadlineIn(message) };
}

function deadlineIn(message: Msg): number | undefined {
  const text = message.headers?.get(Header.deadline) ?? '';
  if (text === '') return undefined;
  const deadlineMs = Number(text);
  if (deadlineMs > 0 && Number.isFinite(deadlineMs)) return deadlineMs;
  throw invalid(`milliseconds above 0 in ${Header.deadline}`, JSON.stringify(text.slice(0, 40)));
}

const invalid = (expected: string, text: string) => natsError('ERR_NATS_MESSAGE', { expected, received: text });
