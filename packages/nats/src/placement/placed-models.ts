import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock, ClockTimer } from 'brezel';
import type { CatalogModel } from '../catalog/model-entry.js';
import { HotModels, type ReplicaChange } from './hot-models.js';
import { Members } from './members.js';
import { type Placement, placingSteps } from './place-models.js';
import { placeable } from './placeable.js';
import type { ModelLoad, ServerState } from './server-state.js';

/** The functions of the catalog's follower that the placement of a server calls. */
export interface PlacedModelsParts {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  readonly name: string;
  readonly memoryBytes: number;
  readonly heartbeatMs: number;
  readonly logError: (error: unknown) => void;
  /** Returns the models of the catalog. */
  readonly catalog: () => readonly CatalogModel[];
  /** Returns the models that this server serves. */
  readonly answered: () => string[];
  /** Returns the load of the models since the last call. */
  readonly takeLoad: () => Record<string, ModelLoad>;
  /** Called with the models that this server must load or remove. */
  readonly onPlaced: (models: readonly string[]) => void;
  /** Changes the number of servers of a hot or idle model in the catalog. */
  readonly changeReplicas: (model: string, change: ReplicaChange, servers: number) => Promise<void>;
}

/**
 * Milliseconds after a change until the placement is computed again, together with later changes.
 */
const SETTLE_MS = 20;
/** The longest time that the computation holds the event loop. */
const SLICE_MS = 4;

/**
 * The models that this server loads: the models that are placed on it, and the models that move to
 * other servers, until these servers serve them.
 */
export class PlacedModels {
  readonly #parts: PlacedModelsParts;
  readonly #members: Members;
  readonly #hot = new HotModels();
  readonly #instance = crypto.randomUUID();
  #kept = new Set<string>();
  #placement: Placement | undefined;
  #load: Record<string, ModelLoad> = {};
  #timer: ClockTimer | undefined;
  #running: Promise<void> | undefined;
  #isChanged = false;
  #isLeaving = false;
  #isClosed = false;
  #onStates: (() => void)[] = [];

  constructor(parts: PlacedModelsParts) {
    this.#parts = parts;
    const { connection, clock, name, heartbeatMs, logError } = parts;
    this.#members = new Members({
      connection,
      clock,
      name,
      heartbeatMs,
      logError,
      state: () => this.#state(),
      onChange: () => {
        for (const resolve of this.#onStates.splice(0)) resolve();
        this.changed();
      },
      onHeartbeat: () => this.#onHeartbeat(),
    });
  }

  /** Joins the other servers. Returns after they had time to report. */
  async start(): Promise<void> {
    await this.#members.start();
  }

  /** Whether this server loads a model. */
  keeps(model: string): boolean {
    return this.#kept.has(model);
  }

  /** The names of the servers that are known. */
  get servers(): string[] {
    return this.#members.states.map(({ name }) => name);
  }

  /** The last computed placement. */
  get placement(): Placement | undefined {
    return this.#placement;
  }

  /** Computes the placement again, after the catalog, the servers or their models have changed. */
  changed(): void {
    if (this.#isClosed) return;
    this.#isChanged = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Waits until the placement contains the changes that have arrived. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Reports the models that this server serves now. */
  announce(): void {
    this.#members.announce();
  }

  /**
   * Reports that this server ends soon, and waits until other servers serve its models, or until
   * the signal aborts. Meanwhile this server answers requests.
   */
  async leave(signal: AbortSignal): Promise<void> {
    this.#isLeaving = true;
    this.#members.announce();
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    while (!signal.aborted && !this.#isReplaced()) {
      const changed = new Promise<void>((resolve) => this.#onStates.push(resolve));
      await Promise.race([changed, aborted]);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#onSettled();
    this.#members.close();
    for (const resolve of this.#onStates.splice(0)) resolve();
  }

  #onSettled: () => void = () => {};

  #state(): ServerState {
    const { name, memoryBytes, heartbeatMs, answered } = this.#parts;
    const shared = { name, instance: this.#instance, memoryBytes, heartbeatMs, models: answered(), load: this.#load };
    return this.#isLeaving ? { ...shared, isLeaving: true } : shared;
  }

  /** Returns whether other servers serve all models of this server, or no other server is left. */
  #isReplaced(): boolean {
    const [, ...others] = this.#members.states;
    const answered = new Set(others.flatMap(({ models }) => models));
    return others.length === 0 || this.#parts.answered().every((model) => answered.has(model));
  }

  async #run(): Promise<void> {
    while (this.#isChanged && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#onSettled = resolve;
        this.#timer = this.#parts.clock.setTimeout(resolve, SETTLE_MS);
      });
      this.#isChanged = false;
      if (this.#isClosed) return;
      this.#placement = await this.#computed();
      if (!this.#isClosed) this.#keep(this.#placement);
    }
  }

  async #computed(): Promise<Placement> {
    const servers = this.#members.states.filter(({ isLeaving }) => !isLeaving);
    const steps = placingSteps(this.#parts.catalog().map(placeable), servers);
    for (let since = performance.now(); ; ) {
      const step = steps.next();
      if (step.done) return step.value;
      if (performance.now() - since < SLICE_MS) continue;
      await nextTurn();
      since = performance.now();
    }
  }

  /** Loads the models of a placement. A model that moves stays until its new servers serve it. */
  #keep({ models }: Placement): void {
    const { name, onPlaced } = this.#parts;
    const answered = new Map(this.#members.states.map((state) => [state.name, new Set(state.models)]));
    const kept = new Set<string>();
    for (const [model, { servers }] of models) {
      const isPlaced = servers.includes(name);
      const hasMoved = servers.length > 0 && servers.every((server) => answered.get(server)?.has(model));
      if (isPlaced || (this.#kept.has(model) && !hasMoved)) kept.add(model);
    }
    const changed = [...new Set([...kept, ...this.#kept])].filter((model) => kept.has(model) !== this.#kept.has(model));
    this.#kept = kept;
    if (changed.length > 0) onPlaced(changed);
  }

  /** Decides about the models for which this server is the first. */
  #onHeartbeat(): void {
    this.#load = this.#parts.takeLoad();
    const { name, changeReplicas, logError } = this.#parts;
    const { states } = this.#members;
    const decided = new Set<string>();
    for (const [model, { servers }] of this.#placement?.models ?? []) {
      if (servers[0] !== name || this.#isLeaving) continue;
      decided.add(model);
      const change = this.#hot.observe(model, loadsOf(model, servers, states));
      if (change !== 0) changeReplicas(model, change, states.length).catch(logError);
    }
    this.#hot.retain(decided);
  }
}

const loadsOf = (model: string, servers: readonly string[], states: readonly ServerState[]): ModelLoad[] =>
  states
    .filter(({ name }) => servers.includes(name))
    .map(({ load }) => (Object.hasOwn(load, model) ? load[model]! : { queue: 0, meanMs: 0 }));
