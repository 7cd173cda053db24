import type { AddOptions, ModelRegistry } from 'brezel';
import type { Artifacts } from '../artifacts/artifacts.js';
import { natsError } from '../errors.js';
import { useOf } from '../server/registry-use.js';
import { type AliasState, type CatalogModel, type CatalogVersion, DEFAULT_ALIAS } from './model-entry.js';

/** An error that keeps a server from following the catalog completely. */
export interface FollowError {
  /** The version or the alias that the server could not load or change. */
  readonly reference: string;
  readonly error: unknown;
}

/** The parts of a server that apply the catalog to its registry. */
export interface ReplicaParts {
  readonly registry: ModelRegistry;
  readonly artifacts: Artifacts;
  /** Options with which each version is added. */
  readonly register: Omit<AddOptions, 'version' | 'aliases' | 'name'>;
}

/**
 * Gives one model of a registry the versions and aliases that it has in the catalog. A version that
 * cannot be loaded never gets requests: an alias stays on its previous version, and a new model is
 * not added.
 */
export class ModelReplica {
  readonly #parts: ReplicaParts;
  readonly #name: string;
  /** The content of each version that was added. */
  readonly #contents = new Map<string, string>();
  #isAdded = false;

  constructor(name: string, parts: ReplicaParts) {
    this.#name = name;
    this.#parts = parts;
  }

  /** Whether the registry has the model, with the version of its default alias loaded. */
  get isAdded(): boolean {
    return this.#isAdded;
  }

  /**
   * Applies an entry, or removes the model if the entry is undefined. After an error, the other
   * parts of the entry are still applied. Returns all errors, and never throws.
   */
  async apply(model: CatalogModel | undefined): Promise<readonly FollowError[]> {
    const errors: FollowError[] = [];
    const attempt = async (reference: string, work: () => unknown) => {
      try {
        await work();
        return true;
      } catch (error) {
        errors.push({ reference, error });
        return false;
      }
    };
    // A model that was removed and pushed again has other contents for the same versions.
    if (model === undefined || model.versions.some((version) => this.#isOther(version)))
      await attempt(this.#name, () => this.#removeModel());
    if (model === undefined) return errors;
    if (this.#isAdded || (await attempt(this.#name, () => this.#addModel(model)))) {
      for (const version of model.versions) await attempt(this.#reference(version.version), () => this.#add(version));
      for (const { alias, ...state } of model.aliases)
        await attempt(`${this.#name}:${alias}`, () => this.#setAlias(`${this.#name}:${alias}`, state));
      for (const version of this.#missingIn(model)) await attempt(version, () => this.#removeVersion(version));
    }
    return errors;
  }

  /** Adds a new model after the version of its default alias could be loaded. */
  async #addModel({ versions, aliases }: CatalogModel): Promise<void> {
    const { registry, artifacts } = this.#parts;
    if (registry.model(this.#name) !== undefined)
      throw natsError('ERR_NATS_CATALOG', {
        expected: 'a model that only the catalog adds',
        received: `a local model ${JSON.stringify(this.#name)}`,
        hint: 'rename the local model, or remove it from the command line of this server',
      });
    const { version: label } = aliases.find(({ alias }) => alias === DEFAULT_ALIAS)!;
    const version = versions.find((each) => each.version === label)!;
    const { plan, unloaded } = await artifacts.source(version.artifact, version.plan).load();
    const use = useOf(registry);
    try {
      plan.release?.();
      // This server gets no requests for the model until the version is loaded. Other servers may
      // answer them.
      await use.hide(this.#name);
      this.#add(version);
      this.#isAdded = true;
      await registry.load(this.#reference(label));
      await use.show(this.#name);
    } catch (error) {
      await this.#removeModel();
      throw error;
    } finally {
      unloaded?.();
    }
  }

  #add({ version, artifact, plan }: CatalogVersion): void {
    const { registry, artifacts, register } = this.#parts;
    if (registry.has(this.#reference(version))) return;
    registry.add(this.#name, artifacts.source(artifact, plan), { ...register, version });
    this.#contents.set(version, contentOf(artifact, plan));
  }

  #isOther({ version, artifact, plan }: CatalogVersion): boolean {
    const known = this.#contents.get(version);
    return known !== undefined && known !== contentOf(artifact, plan);
  }

  /** Loads the versions of an alias, and then changes the alias. */
  async #setAlias(reference: string, { version, canary }: AliasState): Promise<void> {
    const { registry } = this.#parts;
    const current = this.#aliases().find(({ alias }) => alias === reference);
    const wanted = this.#reference(version);
    const isWrongCanary = current?.canary !== undefined && current.canary.version !== this.#reference(canary?.version);
    if (current?.version !== wanted || isWrongCanary) await registry.promote(reference, version);
    if (canary === undefined || canary.percent === this.#percentOf(reference, canary.version)) return;
    await registry.load(this.#reference(canary.version));
    registry.canary(reference, { to: canary.version, percent: canary.percent });
  }

  #percentOf(reference: string, version: string): number | undefined {
    const { canary } = this.#aliases().find(({ alias }) => alias === reference) ?? {};
    return canary?.version === this.#reference(version) ? canary.percent : undefined;
  }

  /** Returns the versions of the registry that the catalog does not have. */
  #missingIn({ versions }: CatalogModel): string[] {
    const known = new Set(versions.map(({ version }) => version));
    const present = this.#parts.registry.model(this.#name)?.versions ?? [];
    return present.filter((version) => !known.has(version)).map((version) => this.#reference(version));
  }

  /** Removes a version. An alias keeps its version if its next version could not be loaded. */
  async #removeVersion(version: string): Promise<void> {
    const isUsed = this.#aliases().some((alias) => [alias.version, alias.canary?.version].includes(version));
    if (!isUsed) await this.#parts.registry.remove(version);
  }

  async #removeModel(): Promise<void> {
    if (!this.#isAdded) return;
    const use = useOf(this.#parts.registry);
    await use.hide(this.#name);
    await this.#parts.registry.remove(this.#name);
    this.#contents.clear();
    this.#isAdded = false;
    await use.show(this.#name);
  }

  #aliases() {
    return this.#parts.registry.model(this.#name)?.aliases ?? [];
  }

  #reference(version: string | undefined): string {
    return `${this.#name}@${version}`;
  }
}

const contentOf = (artifact: string, plan: string) => `${artifact} ${plan}`;
