import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import type { ModelRegistry } from 'brezel';
import { controlSubject, predictSubject, QUEUE } from '../protocol/subjects.js';
import { type ModelAnswerer, type RegistryUse, useOf } from './registry-use.js';

/** Receives the messages of a model. Its methods never throw. */
export interface MessageHandler {
  request(model: string, message: Msg): void;
  control(message: Msg): void;
  /** Waits for the requests of a model that are in flight now. */
  idle(model: string): Promise<void>;
}

/** The subscriptions to the subjects of one model. */
interface ModelSubscription {
  readonly predict: Subscription;
  readonly control: Subscription;
}

/** Subscribes to the subjects of the models of a registry, and follows its changes. */
export class ModelSubscriptions implements ModelAnswerer {
  readonly #registry: ModelRegistry;
  readonly #use: RegistryUse;
  readonly #connection: NatsConnection;
  readonly #handler: MessageHandler;
  readonly #models = new Map<string, ModelSubscription>();
  /** The subscriptions that receive no new requests, and the promises of their ends. */
  readonly #ending = new Map<ModelSubscription, { readonly model: string; readonly ended: Promise<void> }>();
  readonly #synchronize: () => void;
  readonly #onAnswered: (model: string) => void;

  constructor(
    registry: ModelRegistry,
    connection: NatsConnection,
    handler: MessageHandler,
    logError: (error: unknown) => void,
    onAnswered: (model: string) => void = () => {},
  ) {
    this.#onAnswered = onAnswered;
    this.#registry = registry;
    this.#use = useOf(registry);
    this.#connection = connection;
    this.#handler = handler;
    // An exception in a listener of the registry would end the process.
    this.#synchronize = () => {
      try {
        this.#update();
      } catch (error) {
        logError(error);
      }
    };
  }

  get models(): string[] {
    return [...this.#models.keys()];
  }

  /**
   * Subscribes to new models of the registry and unsubscribes from removed models, now and after
   * each change of the registry.
   */
  follow(): void {
    this.#stopFollowing();
    this.#registry.on('added', this.#synchronize).on('removed', this.#synchronize);
    this.#update();
  }

  /**
   * Unsubscribes from all models. Waits until the requests that NATS had already sent to this
   * server have ended.
   */
  async close(): Promise<void> {
    this.#stopFollowing();
    for (const model of this.models) this.#end(model);
    await Promise.all(this.#endings());
  }

  /** Registers this server with the follower of the catalog, which can then hide models from it. */
  attach(): void {
    this.#use.attach(this);
  }

  answers(model: string): boolean {
    return this.#models.has(model);
  }

  async refresh(model: string): Promise<void> {
    this.#synchronize();
    await Promise.all([...this.#endings(model), this.#connection.flush()]);
  }

  /** The ends of subscriptions, of one model or of all models. */
  #endings(model?: string): Promise<void>[] {
    return [...this.#ending.values()]
      .filter((each) => model === undefined || each.model === model)
      .map(({ ended }) => ended);
  }

  /** Unsubscribes at once, also from the subjects of requests that have not ended. */
  stop(): void {
    for (const { predict, control } of this.#ending.keys()) {
      predict.unsubscribe();
      control.unsubscribe();
    }
  }

  #stopFollowing(): void {
    this.#use.detach(this);
    this.#registry.off('added', this.#synchronize).off('removed', this.#synchronize);
  }

  #update(): void {
    if (this.#connection.isClosed() || this.#connection.isDraining()) return;
    const names = new Set(this.#registry.names().filter((name) => !this.#use.isHidden(name)));
    for (const name of names)
      if (!this.#models.has(name)) {
        this.#models.set(name, this.#subscribe(name));
        this.#onAnswered(name);
      }
    for (const name of this.models) if (!names.has(name)) this.#end(name);
  }

  #end(model: string): void {
    const subscription = this.#models.get(model)!;
    this.#models.delete(model);
    this.#ending.set(subscription, { model, ended: this.#drain(model, subscription) });
  }

  async #drain(model: string, subscription: ModelSubscription): Promise<void> {
    await drained(subscription.predict);
    // Until its last request has ended, the server reports to clients that it works on it.
    // Otherwise the clients would send the request to another server.
    await this.#handler.idle(model);
    await drained(subscription.control);
    this.#ending.delete(subscription);
  }

  /**
   * Handles a request. The registry reports a removed model only after the last request in flight.
   * Until then, the server leaves new requests to other servers: it does not answer, so the client
   * sends the request again.
   */
  #receive(model: string, message: Msg): void {
    if (this.#registry.model(model) !== undefined) this.#handler.request(model, message);
    else this.#synchronize();
  }

  #subscribe(model: string): ModelSubscription {
    // The status of the connection reports an error of a subscription too.
    const receive = (handle: (message: Msg) => void) => (error: Error | null, message: Msg) => {
      if (error === null) handle(message);
    };
    return {
      predict: this.#connection.subscribe(predictSubject(model), {
        queue: QUEUE,
        callback: receive((message) => this.#receive(model, message)),
      }),
      control: this.#connection.subscribe(controlSubject(model), {
        callback: receive((message) => this.#handler.control(message)),
      }),
    };
  }
}

/** Drains a subscription. A subscription that NATS has closed needs no drain. */
const drained = (subscription: Subscription): Promise<void> => subscription.drain().catch(() => {});
