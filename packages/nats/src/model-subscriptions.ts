import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import type { ModelRegistry } from 'brezel';
import { controlSubject, predictSubject, QUEUE } from './subjects.js';

/** Receives the messages of a model. Its methods never throw. */
export interface MessageHandler {
  request(model: string, message: Msg): void;
  control(message: Msg): void;
}

/** Subscribes to the subjects of the models of a registry, and follows its changes. */
export class ModelSubscriptions {
  readonly #registry: ModelRegistry;
  readonly #connection: NatsConnection;
  readonly #handler: MessageHandler;
  readonly #logError: (error: unknown) => void;
  readonly #models = new Map<string, readonly Subscription[]>();
  readonly #synchronize = () => this.#update();

  constructor(
    registry: ModelRegistry,
    connection: NatsConnection,
    handler: MessageHandler,
    logError: (error: unknown) => void,
  ) {
    this.#registry = registry;
    this.#connection = connection;
    this.#handler = handler;
    this.#logError = logError;
  }

  get models(): string[] {
    return [...this.#models.keys()];
  }

  /** Subscribes to the models of the registry now, and after each change. */
  follow(): void {
    this.#registry.on('added', this.#synchronize).on('removed', this.#synchronize);
    this.#update();
  }

  /** Waits until the NATS server knows the models that the registry has now. */
  async synchronized(): Promise<void> {
    this.#update();
    await this.#connection.flush();
  }

  /**
   * Unsubscribes from all models. Waits until the handler has received the messages that NATS had
   * already sent to this server.
   */
  async drain(): Promise<void> {
    this.#registry.off('added', this.#synchronize).off('removed', this.#synchronize);
    const subscriptions = [...this.#models.values()].flat();
    this.#models.clear();
    await drained(subscriptions);
  }

  #update(): void {
    if (this.#connection.isClosed()) return;
    const names = new Set(this.#registry.names());
    for (const name of names) if (!this.#models.has(name)) this.#models.set(name, this.#subscribe(name));
    for (const [name, subscriptions] of this.#models) {
      if (names.has(name)) continue;
      this.#models.delete(name);
      void drained(subscriptions);
    }
  }

  #subscribe(model: string): readonly Subscription[] {
    const receive = (handle: (message: Msg) => void) => (error: Error | null, message: Msg) => {
      if (error === null) handle(message);
      else this.#logError(error); // for example, the account may not subscribe to the subject
    };
    return [
      this.#connection.subscribe(predictSubject(model), {
        queue: QUEUE,
        callback: receive((message) => this.#handler.request(model, message)),
      }),
      this.#connection.subscribe(controlSubject(model), {
        callback: receive((message) => this.#handler.control(message)),
      }),
    ];
  }
}

/** Drains subscriptions. A subscription that NATS has closed needs no drain. */
const drained = (subscriptions: readonly Subscription[]) =>
  Promise.allSettled(subscriptions.map(async (subscription) => subscription.drain()));
