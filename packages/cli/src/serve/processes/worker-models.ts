import type { AddOptions, Fleet, LoadResult, ModelRegistry, PlanSource, RegisteredPlan, Runtime } from 'brezel';
import { openFleet } from 'brezel';
import type { AliasState, ModelState, VersionState } from './shared-state.js';

/** A version that `prepare` has loaded for a change. */
interface Prepared {
  /** Called after the change is committed. */
  committed(): void;
  /** Called if the change is aborted. */
  aborted(): void;
}

export interface WorkerModelsOptions {
  /** How the runtime registers the models. */
  readonly register: AddOptions;
  /** Whether to read the fleet files of the models into memory. */
  readonly prefault: boolean;
}

interface OpenFile {
  readonly fleet: Promise<Fleet>;
  users: number;
}

/**
 * The models of one worker. The primary sends the complete state of a changed model, and this class
 * changes the registry of the worker to this state.
 */
export class WorkerModels {
  readonly #registry: ModelRegistry;
  readonly #runtime: Runtime;
  readonly #options: WorkerModelsOptions;
  readonly #files = new Map<string, OpenFile>();
  #prepared: Prepared[] = [];
  /**
   * Versions that this class is loading for a change by the primary, not for a request. A version
   * leaves the set when the registry reports its load.
   */
  readonly #loadedBySteps = new Set<string>();

  constructor(registry: ModelRegistry, runtime: Runtime, options: WorkerModelsOptions) {
    this.#registry = registry;
    this.#runtime = runtime;
    this.#options = options;
  }

  /**
   * Loads versions for a change. A version that is not in the registry is registered in the runtime
   * only, so that no request reaches it before the change is committed.
   */
  async prepare(versions: readonly VersionState[]): Promise<void> {
    try {
      for (const version of versions)
        this.#prepared.push(
          this.#registry.has(version.reference) ? await this.#load(version) : await this.#register(version),
        );
    } catch (error) {
      this.abort();
      throw error;
    }
  }

  /** Releases all versions that `prepare` has loaded since the last commit. */
  abort(): void {
    for (const prepared of this.#prepared.splice(0)) prepared.aborted();
  }

  /**
   * Calls a function with each version that a request has loaded. All workers should then load the
   * version, so that they report the same state.
   */
  onRequestLoad(report: (version: string) => void): void {
    this.#registry.on('loaded', ({ version }) => {
      if (!this.#loadedBySteps.delete(version)) report(version);
    });
  }

  /** Makes the models of the registry equal to the models of the primary. */
  async replace(models: readonly ModelState[]): Promise<void> {
    const names = new Set(models.map(({ name }) => name));
    const gone = this.#registry.names().filter((name) => !names.has(name));
    for (const name of gone) await this.commit({ name, versions: [], aliases: [] });
    for (const model of models) await this.commit(model);
  }

  /**
   * Makes one model equal to the model of the primary. New versions are loaded first; then all
   * aliases change in one turn of the event loop.
   */
  async commit({ name, versions, aliases }: ModelState): Promise<void> {
    const registry = this.#registry;
    for (const version of versions)
      if (!registry.has(version.reference))
        registry.add(name, this.#source(version), { ...this.#options.register, version: version.version });
    for (const { reference, isLoaded } of versions) if (isLoaded) await this.#ensureLoaded(reference);
    for (const alias of aliases) this.#setAlias(name, alias);
    const wanted = new Set(aliases.map(({ alias }) => alias));
    for (const { alias } of registry.model(name)?.aliases ?? []) if (!wanted.has(alias)) registry.removeAlias(alias);
    const staying = new Set(versions.map(({ version }) => version));
    // nothing waits for the end of the removal, which ends when requests in flight are answered
    for (const version of registry.model(name)?.versions ?? [])
      if (!staying.has(version)) registry.remove(`${name}@${version}`).catch(() => undefined);
    for (const { reference, isLoaded } of versions) if (!isLoaded) registry.unload(reference);
    for (const prepared of this.#prepared.splice(0)) prepared.committed();
  }

  #setAlias(name: string, { alias, version, canary, shadow }: AliasState): void {
    const registry = this.#registry;
    const now = registry.model(name)?.aliases.find((other) => other.alias === alias);
    const reference = `${name}@${version}`;
    const isOther = now?.version !== reference || (now.canary !== undefined && canary === undefined);
    if (isOther) registry.setAlias(alias, version);
    if (canary !== undefined) {
      const isSame = now?.canary?.version === `${name}@${canary.to}` && now.canary.percent === canary.percent;
      if (isOther || !isSame) registry.canary(alias, canary);
    }
    const isSame =
      now?.shadow?.version === (shadow && `${name}@${shadow.to}`) && now?.shadow?.sample === shadow?.sample;
    if (!isSame) registry.shadow(alias, shadow);
  }

  async #load({ reference }: VersionState): Promise<Prepared> {
    const hasLoaded = await this.#ensureLoaded(reference);
    return {
      committed: () => undefined,
      aborted: () => {
        if (hasLoaded) this.#registry.unload(reference);
      },
    };
  }

  /** Loads a version of the registry. Returns false if the version was loaded already. */
  async #ensureLoaded(reference: string): Promise<boolean> {
    if (this.#registry.route(reference).description !== undefined) return false;
    this.#loadedBySteps.add(reference);
    try {
      await this.#registry.load(reference);
      return true;
    } catch (error) {
      this.#loadedBySteps.delete(reference);
      throw error;
    }
  }

  /** Registers the plan of a version in the runtime. */
  async #register(version: VersionState): Promise<Prepared> {
    const { plan, unloaded } = await this.#open(version);
    let registered: RegisteredPlan;
    try {
      const { version: _, pin, aliases, ...options } = this.#options.register;
      // The registry registers the plan again under its own name when the change is committed.
      registered = await this.#runtime.registerAsync(plan, { ...options, name: `${version.reference} (prepared)` });
    } catch (error) {
      unloaded();
      throw error;
    } finally {
      plan.release?.(); // the runtime holds separate references
    }
    const release = () => {
      this.#runtime.unregister(registered);
      unloaded();
    };
    return { committed: release, aborted: release };
  }

  #source(version: VersionState): PlanSource {
    return { at: `${version.path}, plan "${version.plan}"`, load: () => this.#open(version) };
  }

  /** Returns the plan of a version. The fleet file stays open until `unloaded` is called. */
  async #open({ path, plan }: VersionState): Promise<LoadResult & { unloaded(): void }> {
    // Brezel wrote the file on this machine, so its checksums need no check.
    const file = this.#files.get(path) ?? {
      fleet: openFleet(path, { store: this.#registry.store, verify: false, prefault: this.#options.prefault }),
      users: 0,
    };
    this.#files.set(path, file);
    file.users++;
    const unloaded = () => {
      if (--file.users > 0) return;
      this.#files.delete(path);
      file.fleet.then((fleet) => fleet.close()).catch(() => undefined); // the fleet did not open
    };
    try {
      const fleet = await file.fleet;
      return { plan: fleet.plan(plan), prefaulted: fleet.prefaulted, unloaded };
    } catch (error) {
      unloaded();
      throw error;
    }
  }
}
