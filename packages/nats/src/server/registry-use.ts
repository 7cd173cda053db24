import { type Clock, type ModelRegistry, systemClock } from 'brezel';
import { LoadMeter } from './load-meter.js';

/** A server that answers requests to the models of a registry over NATS. */
export interface ModelAnswerer {
  /** Whether the server receives requests to a model. */
  answers(model: string): boolean;
  /**
   * Starts or stops to receive requests to a model. Returns after NATS has received the change and
   * the requests of a hidden model have ended.
   */
  refresh(model: string): Promise<void>;
}

/**
 * The state that `followCatalog` and `joinCluster` share if they have the same registry: which
 * models are not ready for requests, and the load of each model.
 */
export class RegistryUse {
  readonly load: LoadMeter;
  readonly #hidden = new Set<string>();
  readonly #answerers = new Set<ModelAnswerer>();
  readonly #listeners = new Set<() => void>();

  constructor(clock: Clock) {
    this.load = new LoadMeter(clock);
  }

  isHidden(model: string): boolean {
    return this.#hidden.has(model);
  }

  /** Returns whether a server of this process receives requests to a model. */
  answers(model: string): boolean {
    return [...this.#answerers].some((answerer) => answerer.answers(model));
  }

  /** Ends the requests to a model. Returns when no request to it is in flight. */
  async hide(model: string): Promise<void> {
    this.#hidden.add(model);
    await this.#refresh(model);
  }

  /** Lets the servers receive requests to a model. Returns after NATS has received the change. */
  async show(model: string): Promise<void> {
    if (this.#hidden.delete(model)) await this.#refresh(model);
  }

  /** Adds a server that has subscribed to the models that are not hidden. */
  attach(answerer: ModelAnswerer): void {
    this.#answerers.add(answerer);
    for (const listener of this.#listeners) listener();
  }

  detach(answerer: ModelAnswerer): void {
    this.#answerers.delete(answerer);
  }

  /** Calls a function after a server was attached. Returns a function that removes the listener. */
  onAttached(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #refresh(model: string): Promise<void> {
    await Promise.allSettled([...this.#answerers].map((answerer) => answerer.refresh(model)));
  }
}

const uses = new WeakMap<ModelRegistry, RegistryUse>();

/** Returns the use of a registry. All callers get the same object. */
export function useOf(registry: ModelRegistry): RegistryUse {
  const use = uses.get(registry) ?? new RegistryUse(systemClock);
  uses.set(registry, use);
  return use;
}
