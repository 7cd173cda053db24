import { EventEmitter } from 'node:events';
import type { writeCachedFile } from '@brezel/fleet-file';
import type { ModelChange } from '@brezel/http';
import { type AddOptions, type FileEvent, PlanRegistry, type PlanSource, type Runtime } from 'brezel';
import { FolderWatch, registryError } from 'brezel/internal';
import { cliError } from '../../errors.js';
import type { Source } from '../../sources.js';
import type { PackedMember } from './packer.js';
import { isLost } from './peer.js';
import type { ModelState, VersionState } from './shared-state.js';
import { labelOf, modelOf, release, type SharedVersion, versionState } from './shared-version.js';
import type { WorkerLink } from './worker-link.js';

export interface SharedModelsParts {
  /** A runtime without plans. The registry uses only its clock. */
  readonly runtime: Runtime;
  /** Packs models into a fleet file. Returns the error of each model, or undefined. */
  pack(job: {
    readonly members: readonly PackedMember[];
    readonly output: string;
  }): Promise<readonly (Error | undefined)[]>;
  planNames(path: string): Promise<readonly string[]>;
  /** Creates the fleet file. */
  readonly writeFile: typeof writeCachedFile;
  /** The workers that listen. */
  workers(): readonly Pick<WorkerLink, 'step' | 'kill'>[];
}

/**
 * The models of a server with several processes. The primary has names, versions and aliases, but
 * no plans. Each change has two phases: every worker loads the versions of the change, and then all
 * workers get the new state of the model. Changes run one after another.
 */
export class SharedModels extends EventEmitter<{ file: [FileEvent] }> {
  readonly #parts: SharedModelsParts;
  /** The names, versions and aliases. This registry never loads a model. */
  readonly #registry: PlanRegistry;
  readonly #entries = new Map<string, SharedVersion>();
  readonly #watches: FolderWatch[] = [];
  #queue: Promise<unknown> = Promise.resolve();
  #isStarted = false;

  constructor(parts: SharedModelsParts) {
    super();
    this.#parts = parts;
    this.#registry = new PlanRegistry(parts.runtime);
  }

  has(reference: string): boolean {
    return this.#registry.has(reference);
  }

  names(): string[] {
    return this.#registry.names();
  }

  /** Adds a model file, or a plan of a fleet file. Workers get it when the server starts. */
  add(name: string, source: Source, { version }: Pick<AddOptions, 'version'> = {}): string {
    return this.#add(name, source, version, true);
  }

  /** Adds all plans of a fleet file. If one of them cannot be added, none is added. */
  addFleet(path: string, { version }: Pick<AddOptions, 'version'> = {}): Promise<string[]> {
    return this.#addFleet(path, version, true);
  }

  /** Marks a version, so that workers load it before they listen. */
  async load(reference: string): Promise<void> {
    this.#entry(this.#versionOf(reference)).isLoaded = true;
  }

  /** Follows a folder of models, as `ModelRegistry.watch` does. */
  async watch(folder: string, { intervalMs }: { readonly intervalMs: number }): Promise<FolderWatch> {
    const registry = this.#registry;
    const watch = new FolderWatch(
      folder,
      { intervalMs },
      {
        clock: this.#parts.runtime.clock,
        registry: {
          add: (name, source, { version } = {}) =>
            this.#add(name, { path: (source as PlanSource).at! }, version, false),
          has: (reference) => registry.has(reference),
          model: (name) => registry.model(name),
          load: (reference) => this.#publish([this.#entry(reference)]) as never,
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
        addFleet: (path, { version }) => this.#addFleet(path, version, false),
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
    const untried = () => [...this.#entries.values()].filter((entry) => !tried.has(entry));
    for (let entries = untried(); entries.length > 0; entries = untried()) {
      const errors = await this.#pack(entries);
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

  /** Returns the models that all workers have. */
  state(): readonly ModelState[] {
    return this.names().map((name) => this.#stateOf(name));
  }

  /** Runs a function while no change of models is in progress. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#queue.then(work);
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
      const needed = this.#neededBy(change);
      const isDone = change.action === 'load' && needed.every(({ isLoaded }) => isLoaded);
      if (isDone) return;
      if (change.action === 'unload') await this.#inAllWorkers('checkUnused', change.name);
      await this.#prepare(needed);
      try {
        this.#apply(change);
      } catch (error) {
        await this.#abort();
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
    for (const entry of this.#entries.values()) release(entry);
    await this.#registry.close({ drainMs: 0 });
  }

  #add(name: string, source: Source, version: string | number | undefined, isRequired: boolean): string {
    const reference = this.#registry.add(
      name,
      { at: source.path, load: neverLoaded },
      version === undefined ? {} : { version },
    );
    const label = reference.slice(name.length + 1);
    this.#entries.set(reference, {
      name,
      version: label,
      reference,
      source,
      isRequired,
      file: undefined,
      isCommitted: false,
      isLoaded: false,
    });
    return reference;
  }

  async #addFleet(path: string, version: string | number | undefined, isRequired: boolean): Promise<string[]> {
    const added: string[] = [];
    try {
      for (const plan of await this.#parts.planNames(path))
        added.push(this.#add(plan, { path, plan }, version, isRequired));
      if (this.#isStarted) await this.#publish(added.map((reference) => this.#entry(reference)));
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
    const error = (await this.#pack(entries)).find((one) => one !== undefined);
    if (error !== undefined) throw error;
    await this.exclusively(async () => {
      await this.#prepare(entries);
      for (const entry of entries) Object.assign(entry, { isCommitted: true, isLoaded: true });
      for (const name of new Set(entries.map((entry) => entry.name))) await this.#commit(name);
    });
  }

  /** Packs versions into one fleet file. Returns the error of each version, or undefined. */
  async #pack(entries: readonly SharedVersion[]): Promise<readonly (Error | undefined)[]> {
    if (entries.length === 0) return [];
    const members = entries.map(({ reference, source }) => ({ ...source, name: reference }));
    let errors: readonly (Error | undefined)[] = [];
    try {
      const cached = await this.#parts.writeFile(async (output) => {
        errors = await this.#parts.pack({ members, output });
        if (!errors.includes(undefined)) throw errors[0];
      });
      const file = { cached, users: 0 };
      for (const [index, entry] of entries.entries()) {
        if (errors[index] !== undefined) continue;
        file.users++;
        entry.file = file;
      }
    } catch (error) {
      const isOfEveryModel = errors.length > 0 && !errors.includes(undefined);
      if (!isOfEveryModel) throw error;
    }
    return errors;
  }

  /**
   * Checks a change, and returns the versions that workers load before it. A change gets the same
   * errors as in a server with one process.
   *
   * @throws ERR_REGISTRY_UNKNOWN, ERR_REGISTRY_REFERENCE
   */
  #neededBy(change: ModelChange): SharedVersion[] {
    switch (change.action) {
      case 'load':
        return [this.#committed(this.#versionOf(change.reference))];
      case 'promote': {
        const reference = `${modelOf(change.reference)}@${change.version}`;
        if (!this.#entries.has(reference)) this.#apply(change); // throws the error of the registry
        return [this.#committed(reference)];
      }
      case 'canary':
        return [this.#committed(this.#versionOf(`${change.reference.split(':', 1)[0]}@${change.to}`))];
      case 'shadow': {
        const reference = `${modelOf(change.reference)}@${change.to}`;
        if (this.#entries.has(reference)) this.#committed(reference);
        return [];
      }
      case 'unload':
        this.#checkUnload(change.name);
        return [];
      default:
        return [];
    }
  }

  /** Checks a name as `unloadModel` of @brezel/oip does. */
  #checkUnload(name: string): void {
    const registry = this.#registry;
    const versions = registry.model(name)?.versions ?? [registry.resolve(name)];
    const references = versions.map((version) => `${name}@${version}`);
    for (const reference of references) registry.unload(reference); // unloads nothing here
    if (!references.some((reference) => this.#entry(reference).isCommitted)) this.#committed(references[0]!);
  }

  /**
   * Changes names and aliases in the primary.
   *
   * @throws the errors of the registry
   */
  #apply(change: ModelChange): void {
    const registry = this.#registry;
    switch (change.action) {
      case 'promote':
        return registry.setAlias(change.reference, change.version);
      case 'rollback':
        return registry.rollback(change.reference);
      case 'canary':
        return registry.canary(change.reference, { to: change.to, percent: change.percent });
      case 'shadow': {
        const { to, sample } = change;
        const options = to === undefined ? undefined : { to, ...(sample !== undefined && { sample }) };
        return registry.shadow(change.reference, options);
      }
      case 'unload':
        for (const entry of this.#entries.values()) if (entry.name === change.name) entry.isLoaded = false;
        return;
      case 'load':
    }
  }

  /** Lets every worker load versions. After an error, no worker has loaded them. */
  async #prepare(entries: readonly SharedVersion[]): Promise<void> {
    if (entries.length === 0) return;
    try {
      await this.#inAllWorkers('prepare', entries.map(versionState));
    } catch (error) {
      await this.#abort();
      throw error;
    }
  }

  async #abort(): Promise<void> {
    await Promise.allSettled(this.#parts.workers().map((worker) => worker.step('abort')));
  }

  /**
   * Calls a function of all workers, as a part of a change. A worker that ends meanwhile does not
   * count: its replacement starts with the state after the change.
   *
   * @throws the error of the first worker that fails; ERR_CLI_WORKER if no worker is left.
   */
  async #inAllWorkers(method: 'prepare' | 'checkUnused', argument: string | readonly VersionState[]): Promise<void> {
    const workers = this.#parts.workers();
    const results = await Promise.allSettled(workers.map((worker) => worker.step(method, argument as never)));
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    const error = errors.find((one) => !isLost(one));
    if (error !== undefined) throw error;
    if (errors.length === workers.length) throw cliError('ERR_CLI_WORKER', { received: 'no worker to change' });
  }

  /** Sends the new state of a model to all workers. A worker that cannot follow is replaced. */
  async #commit(name: string): Promise<void> {
    const state = this.#stateOf(name);
    const follow = async (worker: Pick<WorkerLink, 'step' | 'kill'>) => {
      await worker.step('commit', state).catch(() => worker.kill());
    };
    await Promise.all(this.#parts.workers().map(follow));
  }

  /** Sends the new state of a model to all workers, after all changes in progress have ended. */
  #changed(reference: string): void {
    if (this.#isStarted) void this.exclusively(() => this.#commit(modelOf(reference)));
  }

  #remove(reference: string): Promise<boolean> {
    const entry = this.#entry(reference);
    const removed = this.#registry.remove(reference, { drainMs: 0 });
    if (!this.#registry.has(reference)) {
      this.#entries.delete(reference);
      this.#changed(entry.name);
      // Workers keep the file open while they use it.
      void this.exclusively(async () => release(entry));
    }
    return removed;
  }

  /**
   * Removes a version whose file could not be packed. The aliases of the version move to another
   * version of the model.
   */
  #drop({ reference, source }: SharedVersion, error: Error): void {
    this.#takeBack(reference);
    this.emit('file', { file: source.path, change: 'refused', versions: [reference], error });
  }

  #takeBack(reference: string): void {
    const { name } = this.#entry(reference);
    const { aliases = [], versions = [] } = this.#registry.model(name) ?? {};
    const other = versions.findLast((version) => `${name}@${version}` !== reference);
    for (const { alias, version } of aliases) {
      if (version !== reference) continue;
      if (other === undefined) this.#registry.removeAlias(alias);
      else this.#registry.setAlias(alias, other);
    }
    this.#remove(reference).catch(() => undefined); // a later alias points to it
  }

  #stateOf(name: string): ModelState {
    const { versions = [], aliases = [] } = this.#registry.model(name) ?? {};
    const entries = versions
      .map((version) => this.#entry(`${name}@${version}`))
      .filter(({ isCommitted }) => isCommitted);
    const known = new Set(entries.map(({ reference }) => reference));
    return {
      name,
      versions: entries.map(versionState),
      aliases: aliases
        .filter(({ version }) => known.has(version))
        .map(({ alias, version, canary, shadow }) => ({
          alias,
          version: labelOf(version),
          ...(canary &&
            known.has(canary.version) && { canary: { to: labelOf(canary.version), percent: canary.percent } }),
          ...(shadow &&
            known.has(shadow.version) && { shadow: { to: labelOf(shadow.version), sample: shadow.sample } }),
        })),
    };
  }

  #entry(reference: string): SharedVersion {
    return this.#entries.get(reference)!;
  }

  /**
   * Returns a version that workers have.
   *
   * @param reference a known version, as `name@version`
   * @throws ERR_REGISTRY_UNKNOWN for a version of a watched folder that is not packed yet.
   */
  #committed(reference: string): SharedVersion {
    const entry = this.#entry(reference);
    if (entry.isCommitted) return entry;
    const hint = 'the server still imports this version: send the request again later';
    throw registryError('ERR_REGISTRY_UNKNOWN', { received: JSON.stringify(reference), hint });
  }

  /**
   * Returns the version of a reference, as `name@version`.
   *
   * @throws ERR_REGISTRY_UNKNOWN, ERR_REGISTRY_REFERENCE
   */
  #versionOf(reference: string): string {
    if (reference.includes('@')) return this.#registry.resolve(reference);
    const name = modelOf(reference);
    const alias = reference.includes(':') ? reference : `${name}:default`;
    const found = this.#registry.model(name)?.aliases.find((one) => one.alias === alias);
    return found?.version ?? this.#registry.resolve(reference);
  }
}

function neverLoaded(): never {
  throw new Error('the primary loads no plans');
}
