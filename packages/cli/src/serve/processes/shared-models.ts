import { EventEmitter } from 'node:events';
import type { ModelChange } from '@brezel/http';
import type { AddOptions, FileEvent, PlanSource, Runtime } from 'brezel';
import { FolderWatch } from 'brezel/internal';
import type { Source } from '../../sources.js';
import { type PackingParts, packVersions } from './pack-versions.js';
import { type NewVersion, neverLoaded, SharedCatalog } from './shared-catalog.js';
import type { ModelState } from './shared-state.js';
import { modelOf, release, type SharedVersion, versionState } from './shared-version.js';
import { type ChangedWorker, WorkerSteps } from './worker-steps.js';

export interface SharedModelsParts extends PackingParts {
  /** A runtime without plans. The catalog uses only its clock. */
  readonly runtime: Runtime;
  planNames(path: string): Promise<readonly string[]>;
  /** The workers that listen. */
  workers(): readonly ChangedWorker[];
}

/**
 * The models of a server with several processes. The primary has names, versions and aliases, but
 * no plans. Each change has two phases: every worker loads the versions of the change, and then all
 * workers get the new state of the model. Changes run one after another.
 */
export class SharedModels extends EventEmitter<{ file: [FileEvent] }> {
  readonly #parts: SharedModelsParts;
  readonly #catalog: SharedCatalog;
  readonly #steps: WorkerSteps;
  readonly #watches: FolderWatch[] = [];
  /** Resolves after the last change in the queue. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Resolves when no function of `withoutChanges` is running. */
  #unchanged: Promise<unknown> = Promise.resolve();
  #isStarted = false;

  constructor(parts: SharedModelsParts) {
    super();
    this.#parts = parts;
    this.#catalog = new SharedCatalog(parts.runtime);
    this.#steps = new WorkerSteps(() => parts.workers());
  }

  has(reference: string): boolean {
    return this.#catalog.registry.has(reference);
  }

  names(): string[] {
    return this.#catalog.registry.names();
  }

  /**
   * Adds a model file, or a plan of a fleet file. Workers receive the model when the server starts.
   * Returns the reference of the new version, `name@version`.
   */
  add(name: string, source: Source, { version }: Pick<AddOptions, 'version'> = {}): string {
    return this.#catalog.add({ name, source, version, isRequired: true });
  }

  /**
   * Adds all plans of a fleet file. If one of them cannot be added, none is added. Returns the
   * references of the new versions.
   */
  addFleet(path: string, { version }: Pick<AddOptions, 'version'> = {}): Promise<string[]> {
    return this.#addFleet(path, { version, isRequired: true });
  }

  /** Marks a version, so that workers load it before they listen. */
  async load(reference: string): Promise<void> {
    this.#catalog.entry(this.#catalog.versionOf(reference)).isLoaded = true;
  }

  /** Follows a folder of models, as `ModelRegistry.watch` does. */
  async watch(folder: string, { intervalMs }: { readonly intervalMs: number }): Promise<FolderWatch> {
    const { registry } = this.#catalog;
    const watch = new FolderWatch(
      folder,
      { intervalMs },
      {
        clock: this.#parts.runtime.clock,
        registry: {
          add: (name, source, { version } = {}) =>
            this.#catalog.add({ name, source: { path: (source as PlanSource).at! }, version, isRequired: false }),
          has: (reference) => registry.has(reference),
          model: (name) => registry.model(name),
          load: (reference) => this.#publish([this.#catalog.entry(reference)]) as never,
          remove: (reference) => this.#remove(reference),
          setAlias: (reference, version) => {
            registry.setAlias(reference, version);
            this.#changed(reference);
          },
          removeAlias: (reference) => {
            registry.removeAlias(reference);
            this.#changed(reference);
          },
          // The fleet file in the cache does not change, so versions can always be loaded again.
          pin: () => undefined,
          unpin: () => undefined,
        },
        onnx: (path) => ({ at: path, load: neverLoaded }),
        addFleet: (path, { version }) => this.#addFleet(path, { version, isRequired: false }),
        tell: (event) => this.emit('file', event),
        closed: () => undefined,
      },
    );
    this.#watches.push(watch);
    await watch.start();
    return watch;
  }

  /**
   * Packs all models into one fleet file in the cache folder. Then packs models that a watched
   * folder has added meanwhile.
   *
   * @throws the error of a file that the command line names. A broken file of a folder is skipped
   * with an event.
   */
  async start(): Promise<void> {
    const tried = new Set<SharedVersion>();
    const untried = () => this.#catalog.entries().filter((entry) => !tried.has(entry));
    for (let entries = untried(); entries.length > 0; entries = untried()) {
      const errors = await packVersions(entries, this.#parts);
      for (const [index, entry] of entries.entries()) {
        tried.add(entry);
        const error = errors[index];
        if (error === undefined) entry.isCommitted = true;
        else if (entry.isRequired) throw error;
        else this.#drop(entry, error);
      }
    }
    this.#isStarted = true;
  }

  /**
   * Returns the packed versions and the aliases of a model, as all workers have them. A removed
   * model has no versions.
   */
  stateOf(name: string): ModelState {
    return this.#catalog.stateOf(name);
  }

  /**
   * Runs a function while no change of models is in progress. Several such functions can run at
   * once.
   */
  withoutChanges<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#queue.then(work);
    this.#unchanged = Promise.allSettled([this.#unchanged, done]);
    return done;
  }

  /** Runs a function while no change and no function of `withoutChanges` is in progress. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = Promise.all([this.#queue, this.#unchanged]).then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /**
   * Makes a change that a client requested, in all workers or in none.
   *
   * @throws the errors of the registry, and of a worker that cannot load a version.
   */
  change(change: ModelChange): Promise<void> {
    return this.exclusively(async () => {
      const needed = this.#catalog.neededBy(change);
      const isDone = change.action === 'load' && needed.every(({ isLoaded }) => isLoaded);
      if (isDone) return;
      if (change.action === 'unload') await this.#steps.checkUnused(change.name);
      await this.#steps.prepare(needed.map(versionState));
      try {
        this.#catalog.apply(change);
      } catch (error) {
        await this.#steps.abort();
        throw error;
      }
      for (const entry of needed) entry.isLoaded = true;
      await this.#commit(change.action === 'unload' ? change.name : modelOf(change.reference));
    });
  }

  /** Stops following folders. */
  async stopWatching(): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.close()));
  }

  /** Removes the fleet files from the cache folder. */
  async close(): Promise<void> {
    await this.#queue;
    await this.#catalog.close();
  }

  async #addFleet(path: string, options: Pick<NewVersion, 'version' | 'isRequired'>): Promise<string[]> {
    const added: string[] = [];
    try {
      for (const plan of await this.#parts.planNames(path))
        added.push(this.#catalog.add({ name: plan, source: { path, plan }, ...options }));
      if (this.#isStarted) await this.#publish(added.map((reference) => this.#catalog.entry(reference)));
      return added;
    } catch (error) {
      for (const reference of added) this.#takeBack(reference);
      throw error;
    }
  }

  /**
   * Packs new versions and loads them in all workers, or in none. Before the end of `start`, it
   * only marks the versions, because `start` packs them.
   */
  async #publish(entries: readonly SharedVersion[]): Promise<void> {
    if (!this.#isStarted) {
      for (const entry of entries) entry.isLoaded = true;
      return;
    }
    const error = (await packVersions(entries, this.#parts)).find((one) => one !== undefined);
    if (error !== undefined) throw error;
    await this.exclusively(async () => {
      await this.#steps.prepare(entries.map(versionState));
      for (const entry of entries) Object.assign(entry, { isCommitted: true, isLoaded: true });
      for (const name of new Set(entries.map((entry) => entry.name))) await this.#commit(name);
    });
  }

  /** Sends the new state of a model to all workers, after all changes in progress have ended. */
  #changed(reference: string): void {
    if (this.#isStarted) void this.exclusively(() => this.#commit(modelOf(reference)));
  }

  #commit(name: string): Promise<void> {
    return this.#steps.commit(this.#catalog.stateOf(name));
  }

  #remove(reference: string): Promise<boolean> {
    const { removed, entry } = this.#catalog.remove(reference);
    if (entry !== undefined) {
      this.#changed(entry.name);
      // Workers that still use the fleet file have it open, so the primary can release it.
      void this.exclusively(async () => release(entry));
    }
    return removed;
  }

  /**
   * Removes a version whose model could not be packed. The aliases of the version move to another
   * version of the model.
   */
  #drop({ reference, source }: SharedVersion, error: Error): void {
    this.#takeBack(reference);
    this.emit('file', { file: source.path, change: 'refused', versions: [reference], error });
  }

  #takeBack(reference: string): void {
    this.#catalog.moveAliases(reference);
    this.#remove(reference).catch(() => undefined); // rejects if a new alias points to the version
  }
}
