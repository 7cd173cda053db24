import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { type Answer, BrezelError, type ModelRegistry, type Route } from 'brezel';
import { payloadLimitOf } from '../connection/payload-limit.js';
import { natsError } from '../errors.js';
import { decodeRequest, encodeError, encodeReply, headersOf, type RequestHead } from '../protocol/messages.js';
import { modelIn } from '../protocol/reference.js';
import { type SentError, sentError } from '../protocol/sent-errors.js';
import { signatureOf } from '../protocol/signature.js';
import { Header } from '../protocol/subjects.js';
import type { MessageHandler } from './model-subscriptions.js';
import { RecentAnswers } from './recent-answers.js';
import { useOf } from './registry-use.js';

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
  /** The id of all attempts of the request. Undefined if the client sends each request once. */
  readonly id: string | undefined;
  readonly reply: string;
  readonly model: string;
  readonly deadlineMs: number | undefined;
  readonly rows: readonly unknown[];
}

/** A request that a server works on. */
interface Running {
  readonly model: string;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Answers the requests of clients with the models of a registry. A message that cannot be decoded
 * gets an error as its answer.
 */
export class RequestHandler implements MessageHandler {
  readonly #parts: HandlerParts;
  readonly #maxPayload: () => number;
  /** The requests in flight by their ids. A request without an id has a unique symbol. */
  readonly #inFlight = new Map<string | symbol, Running>();
  readonly #recent = new RecentAnswers();
  #requests = 0;
  #errors = 0;

  constructor(parts: HandlerParts) {
    this.#parts = parts;
    this.#maxPayload = payloadLimitOf(parts.connection);
  }

  get statistics() {
    return { inFlight: this.#inFlight.size, requests: this.#requests, errors: this.#errors };
  }

  async idle(model: string): Promise<void> {
    const running = [...this.#inFlight.values()].filter((request) => request.model === model);
    await Promise.all(running.map(({ ended }) => ended));
  }

  /** Cancels the requests in flight. They get no answer, so their clients send them again. */
  cancel(): void {
    for (const { controller } of this.#inFlight.values()) controller.abort();
    this.#inFlight.clear();
  }

  request(model: string, message: Msg): void {
    const { reply } = message;
    if (!reply) return; // without a reply subject, no client waits for an answer
    try {
      const id = idIn(message);
      if (id !== undefined && this.#isRepeated(id, reply)) return;
      const request = received(model, message, id, reply);
      if (this.#inFlight.size >= this.#parts.maxInFlight) this.#fail(reply, this.#overloaded());
      else this.#start(request);
    } catch (error) {
      this.#fail(reply, this.#described(error));
    }
  }

  control(message: Msg): void {
    const { id, action } = controlIn(message);
    const running = this.#inFlight.get(id);
    if (action === 'cancel') running?.controller.abort();
    else if (action === 'status' && running !== undefined && message.reply) this.#publish(message.reply);
  }

  /** Handles another attempt of a request that is in flight or was answered a short time ago. */
  #isRepeated(id: string, reply: string): boolean {
    if (this.#inFlight.has(id)) return true; // the client gets the answer to the first attempt
    const answer = this.#recent.get(id, reply);
    if (answer !== undefined) this.#publish(reply, answer);
    return answer !== undefined;
  }

  #start(request: Received): void {
    const { model } = request;
    const measured = useOf(this.#parts.registry).load.start(model);
    const id = request.id ?? Symbol(model);
    const controller = new AbortController();
    const ended = this.#run(request, controller.signal).finally(() => {
      measured();
      // After `cancel`, a client may have sent the request again.
      if (this.#inFlight.get(id)?.controller === controller) this.#inFlight.delete(id);
    });
    this.#inFlight.set(id, { model, controller, ended });
  }

  async #run(request: Received, signal: AbortSignal): Promise<void> {
    const { id, reply } = request;
    let bytes: Uint8Array;
    try {
      bytes = await this.#answer(request, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#errors++;
      bytes = encodeError(this.#described(error));
    }
    if (signal.aborted) return;
    this.#requests++;
    this.#publish(reply, bytes);
    if (id !== undefined) this.#recent.add(id, reply, bytes);
  }

  async #answer({ verb, reference, key, rows, deadlineMs }: Received, signal: AbortSignal): Promise<Uint8Array> {
    const route = this.#parts.registry.route(reference, key === undefined ? undefined : { key });
    const options = { signal, ...(deadlineMs !== undefined && { deadlineMs }) };
    const answers = await answersOf[verb](route, rows, options);
    return encodeReply({ version: route.version, answers }, this.#maxPayload());
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

const MAX_ID = 256;

type Limits = NonNullable<Parameters<Route['predict']>[1]>;

type Answers = (route: Route, rows: readonly unknown[], limits: Limits) => Promise<readonly Answer[]>;

/** How to answer a request, by its verb. */
const answersOf: Readonly<Record<RequestHead['verb'], Answers>> = {
  predict: async (route, rows, limits) => [await route.predict(rows[0] as never, limits as object)],
  predictBatch: (route, rows, limits) => route.predictBatch(rows as never, limits as object),
  describe: async (route, _, limits) => [signatureOf(await route.load(limits as object)) as unknown as Answer],
};

/** @throws ERR_NATS_MESSAGE */
function idIn(message: Msg): string | undefined {
  const id = headersOf(message)?.get(Header.id) || undefined;
  if (id === undefined || id.length <= MAX_ID) return id;
  throw invalid(`an id of at most ${MAX_ID} characters`, `${id.length} characters`);
}

/** Returns the contents of a message about a request; empty texts for an invalid message. */
function controlIn(message: Msg): { readonly id: string; readonly action: string } {
  try {
    const sent = headersOf(message);
    return { id: sent?.get(Header.id) ?? '', action: sent?.get(Header.control) ?? '' };
  } catch {
    return { id: '', action: '' };
  }
}

/**
 * Decodes and checks a request. An account may be limited to the subjects of some models, so the
 * request must be for the model of its subject.
 *
 * @throws ERR_NATS_MESSAGE, ERR_REGISTRY_REFERENCE
 */
function received(model: string, message: Msg, id: string | undefined, reply: string): Received {
  const request = decodeRequest(message.data);
  const named = modelIn(request.reference);
  if (named !== model) throw invalid(`a request for ${JSON.stringify(model)}`, JSON.stringify(named));
  return { ...request, id, reply, model, deadlineMs: deadlineIn(message) };
}

function deadlineIn(message: Msg): number | undefined {
  const text = headersOf(message)?.get(Header.deadline) ?? '';
  if (text === '') return undefined;
  const deadlineMs = Number(text);
  if (deadlineMs > 0 && Number.isFinite(deadlineMs)) return deadlineMs;
  throw invalid(`milliseconds above 0 in ${Header.deadline}`, JSON.stringify(text.slice(0, 40)));
}

const invalid = (expected: string, text: string) => natsError('ERR_NATS_MESSAGE', { expected, received: text });
