import type { KvWatchEntry } from '@nats-io/kv';
import type { Status } from '@nats-io/transport-node';
import { BrezelError, type Clock, type ClockTimer } from 'brezel';
import { type ArtifactStatistics, Artifacts } from '../artifacts/artifacts.js';
import { type OpenConnection, openConnection } from '../connection/connection-options.js';
import { checkedFollow, type FollowOptions } from '../options.js';
import { PlacedModels } from '../placement/placed-models.js';
import { type RegistryUse, useOf } from '../server/registry-use.js';
import { CatalogBucket, modelIn } from './catalog-bucket.js';
import { type CatalogModel, withExtraReplicas } from './model-entry.js';
import { type FollowError, ModelReplica, type ReplicaParts } from './model-replica.js';

/** The state of a server that follows the catalog. */
export interface FollowerStatistics {
  /**
   * The models of the catalog. `errors` says why a model on this server differs from the catalog.
   */
  readonly models: readonly {
    readonly name: string;
    readonly errors: readonly { readonly reference: string; readonly code: string; readonly message: string }[];
  }[];
  readonly artifacts: ArtifactStatistics;
  /** The placed models of this server. Undefined without `memoryBytes`. */
  readonly placement?: {
    /** The names of all servers that load placed models, including this server. */
    readonly servers: readonly string[];
    /** The models that this server loads. */
    readonly models: readonly string[];
  };
}

/** A model of the catalog on this server. */
interface Followed {
  readonly name: string;
  readonly replica: ModelReplica;
  model: CatalogModel | undefined;
  /** Whether `model` has changed since it was applied. */
  isChanged: boolean;
  running: Promise<void> | undefined;
  errors: readonly FollowError[];
}

/** The number of models that are loaded at the same time. */
const LOADS = 4;
/** Milliseconds until a failed model is tried again. */
const RETRY_MS = 30_000;
/** How the follower places models. */
interface PlacingOptions {
  readonly name: string;
  readonly memoryBytes: number;
  readonly heartbeatMs: number;
}

/** The settings of a follower, in addition to the bucket and the connection. */
interface FollowerSettings {
  readonly clock: Clock;
  readonly logError: (error: unknown) => void;
  /** Undefined if the server loads all models. */
  readonly placing: PlacingOptions | undefined;
}

/** Milliseconds until a lost watch is started again. */
const WATCH_MS = 1000;

/** Loads the models of the catalog into a registry; `followCatalog` creates it. */
export class CatalogFollower {
  readonly #bucket: CatalogBucket;
  readonly #open: OpenConnection;
  readonly #parts: ReplicaParts;
  readonly #clock: Clock;
  readonly #logError: (error: unknown) => void;
  readonly #models = new Map<string, Followed>();
  readonly #waiting: (() => void)[] = [];
  readonly #statuses: AsyncIterable<Status> & { stop?(): void };
  readonly #initial: Promise<void>;
  readonly #following: Promise<void>;
  readonly #use: RegistryUse;
  readonly #placed: PlacedModels | undefined;
  readonly #joined: Promise<void>;
  readonly #stopAttached: () => void;
  #loads = 0;
  #retry: ClockTimer | undefined;
  #stopWatch: () => void = () => {};
  #closed: Promise<void> | undefined;

  /** Only `followCatalog` calls the constructor. */
  constructor(
    bucket: CatalogBucket,
    open: OpenConnection,
    parts: ReplicaParts,
    { clock, logError, placing }: FollowerSettings,
  ) {
    this.#bucket = bucket;
    this.#open = open;
    this.#parts = parts;
    this.#clock = clock;
    this.#logError = logError;
    this.#statuses = open.connection.status();
    let isInitial = () => {};
    this.#initial = new Promise((resolve) => {
      isInitial = resolve;
    });
    this.#use = useOf(parts.registry);
    this.#placed = placing && this.#placing(placing);
    this.#stopAttached = this.#use.onAttached(() => this.#placed?.announce());
    this.#following = this.#follow(isInitial);
    void this.#restartAfterReconnect();
    this.#joined = this.#join();
    this.#joined.catch(() => {}); // `synchronized` reports it
  }

  #placing(options: PlacingOptions): PlacedModels {
    return new PlacedModels({
      ...options,
      connection: this.#open.connection,
      clock: this.#clock,
      logError: this.#logError,
      catalog: () => [...this.#models.values()].flatMap(({ model }) => model ?? []),
      answered: () => this.#answered(),
      takeLoad: () => this.#use.load.take(),
      onPlaced: (names) => {
        for (const followed of this.#models.values()) if (names.includes(followed.name)) this.#start(followed);
      },
      changeReplicas: (name, change, servers) =>
        this.#bucket.change(name, (before) => ({
          model: before && withExtraReplicas(before, change, servers),
          result: undefined,
        })),
    });
  }

  /** Places the models after the catalog and the other servers are known. */
  async #join(): Promise<void> {
    await Promise.all([this.#initial, this.#placed?.start()]);
    this.#placed?.changed();
  }

  /** The models of the catalog that this server serves. */
  #answered(): string[] {
    return [...this.#models.values()]
      .filter(({ name, replica }) => replica.isAdded && this.#use.answers(name))
      .map(({ name }) => name);
  }

  /**
   * Waits until this server has applied the catalog as it was at the start, and all changes that
   * have arrived since. A model that cannot be loaded counts as applied.
   */
  async synchronized(): Promise<void> {
    await this.#joined;
    do {
      await this.#placed?.settled();
      await Promise.all(this.#running);
    } while (this.#running.length > 0);
  }

  /**
   * Lets the other servers load the models that are placed on this server, and waits until they
   * serve them, for at most `timeoutMs`. This server answers requests meanwhile: call `leave`
   * before you close the server of `joinCluster`. Without `memoryBytes`, returns at once.
   */
  async leave({ timeoutMs = 10_000 }: { readonly timeoutMs?: number } = {}): Promise<void> {
    if (this.#placed === undefined || this.#closed !== undefined) return;
    const late = new AbortController();
    const timer = this.#clock.setTimeout(() => late.abort(), timeoutMs);
    await this.#placed.leave(late.signal);
    timer.cancel();
  }

  stats(): FollowerStatistics {
    const models = [...this.#models.values()].filter(({ model, errors }) => model !== undefined || errors.length > 0);
    return {
      models: models.map(({ name, errors }) => ({ name, errors: errors.map(described) })),
      artifacts: this.#parts.artifacts.stats(),
      ...(this.#placed && {
        placement: {
          servers: this.#placed.servers,
          models: models.flatMap(({ name }) => (this.#placed!.keeps(name) ? [name] : [])),
        },
      }),
    };
  }

  /**
   * Stops following the catalog, and closes the connection if `followCatalog` opened it. The models
   * stay in the registry. Repeated calls return the same promise.
   */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #end(): Promise<void> {
    this.#retry?.cancel();
    this.#statuses.stop?.();
    this.#stopWatch();
    this.#stopAttached();
    this.#placed?.close();
    const ended = this.#parts.artifacts.close();
    await Promise.all([...this.#running, ended]);
    if (this.#open.isOwned) await this.#open.connection.close();
    await this.#following; // no watch stays on the connection of the caller
  }

  get #running(): Promise<void>[] {
    return [...this.#models.values()].flatMap(({ running }) => running ?? []);
  }

  /** Applies the entries of the catalog, until the follower is closed. */
  async #follow(isInitial: () => void): Promise<void> {
    while (this.#closed === undefined) {
      try {
        const hasEntries = await this.#bucket.hasEntries();
        const watch = await this.#bucket.watch();
        this.#stopWatch = () => watch.stop();
        if (this.#closed !== undefined) watch.stop(); // closed while the watch was started
        if (!hasEntries) isInitial();
        for await (const entry of watch) {
          this.#receive(entry);
          if (entry.delta === 0) isInitial(); // no further entry was written before the watch
        }
      } catch (error) {
        if (this.#closed === undefined) this.#logError(error);
      }
      if (this.#closed === undefined)
        await new Promise<void>((resolve) => {
          const timer = this.#clock.setTimeout(resolve, WATCH_MS);
          this.#stopWatch = () => {
            timer.cancel();
            resolve();
          };
        });
    }
    isInitial();
  }

  /** Entries may be lost while the connection is lost: a new watch yields all entries again. */
  async #restartAfterReconnect(): Promise<void> {
    try {
      for await (const { type } of this.#statuses) if (type === 'reconnect') this.#stopWatch();
    } catch {
      // the connection is closed
    }
  }

  #receive(entry: KvWatchEntry): void {
    let model: CatalogModel | undefined;
    try {
      model = modelIn(entry);
    } catch (error) {
      return this.#logError(error); // the model does not change
    }
    const followed = this.#models.get(entry.key) ?? this.#newModel(entry.key, model);
    if (followed === undefined) return;
    followed.model = model;
    if (this.#placed === undefined) return this.#start(followed);
    // A changed model that stays on this server is applied; `onPlaced` starts the other models.
    if (this.#placed.keeps(followed.name)) this.#start(followed);
    this.#placed.changed();
  }

  /** Returns undefined for a deleted model that this server has never had. */
  #newModel(key: string, model: CatalogModel | undefined): Followed | undefined {
    if (model === undefined) return undefined;
    const { name } = model;
    const replica = new ModelReplica(name, this.#parts);
    const followed: Followed = { name, replica, model, isChanged: false, running: undefined, errors: [] };
    this.#models.set(key, followed);
    return followed;
  }

  #start(followed: Followed): void {
    followed.isChanged = true;
    followed.running ??= this.#run(followed).finally(() => {
      followed.running = undefined;
    });
  }

  /** Applies the newest entry of a model, until no newer entry has arrived. */
  async #run(followed: Followed): Promise<void> {
    if (this.#loads === LOADS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#loads++;
    while (followed.isChanged && this.#closed === undefined) {
      followed.isChanged = false;
      const before = followed.errors.map((error) => described(error).message).join();
      const isKept = this.#placed?.keeps(followed.name) ?? true;
      followed.errors = await followed.replica.apply(isKept ? followed.model : undefined);
      const isNew = followed.errors.map((error) => described(error).message).join() !== before;
      if (isNew && this.#closed === undefined) for (const { error } of followed.errors) this.#logError(error);
    }
    const next = this.#waiting.shift();
    if (next === undefined) this.#loads--;
    else next();
    if (followed.errors.length > 0) this.#retryLater();
    this.#placed?.announce();
  }

  #retryLater(): void {
    if (this.#closed !== undefined || this.#retry !== undefined) return;
    this.#retry = this.#clock
      .setTimeout(() => {
        this.#retry = undefined;
        for (const followed of this.#models.values()) if (followed.errors.length > 0) this.#start(followed);
      }, RETRY_MS)
      .unref();
  }
}

/** Describes the reason of an error. A registry wraps the error of a source. */
function described({ reference, error }: FollowError) {
  const { cause } = error as { cause?: unknown };
  const reason = cause instanceof BrezelError ? cause : error;
  const { code = 'ERR_INTERNAL', message = String(reason) } = reason as { code?: string; message?: string };
  return { reference, code, message };
}

/**
 * Loads the models of the catalog into a registry, and follows all changes of the catalog. A
 * version is loaded before an alias moves to it. If a version cannot be loaded, the alias keeps its
 * version on this server. `stats()` reports the error, and the server tries the version again every
 * 30 s.
 *
 * With `memoryBytes`, the server loads only the models that are placed on it. Models that share a
 * large parameter are placed together. A model that moves stays on its server until the other
 * server serves it.
 *
 * @throws ERR_NATS_OPTION, ERR_NATS_SERVER_URL, ERR_NATS_CREDENTIALS, ERR_NATS_CONNECTION,
 * ERR_NATS_STORE
 */
export async function followCatalog(options: FollowOptions): Promise<CatalogFollower> {
  const { catalog, registry, register, logError, memoryBytes, heartbeatMs, ...checked } = checkedFollow(options);
  const placing = memoryBytes === undefined ? undefined : { name: checked.name, memoryBytes, heartbeatMs };
  const open = await openConnection(options, checked.name);
  const { connection } = open;
  const store = registry.store;
  const artifacts = new Artifacts({ connection, isOwned: false }, { ...checked, store });
  try {
    const bucket = await CatalogBucket.open(connection, catalog, checked.stallMs);
    return new CatalogFollower(
      bucket,
      open,
      { registry, artifacts, register },
      {
        clock: checked.clock,
        logError,
        placing,
      },
    );
  } catch (error) {
    if (open.isOwned) await connection.close();
    throw error;
  }
}
