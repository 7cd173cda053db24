import type { ModelChange } from '@brezel/http';
import { PlanRegistry, type Runtime } from 'brezel';
import { registryError } from 'brezel/internal';
import type { Source } from '../../sources.js';
import type { ModelState } from './shared-state.js';
import { labelOf, modelOf, release, type SharedVersion, versionState } from './shared-version.js';

/** A version that a folder, the command line or a fleet file adds. */
export interface NewVersion {
  readonly name: string;
  readonly source: Source;
  readonly version: string | number | undefined;
  readonly isRequired: boolean;
}

/**
 * The names, versions and aliases of the models in the primary. The catalog checks changes as the
 * registry of a server with one process does, but never loads a plan.
 */
export class SharedCatalog {
  readonly #registry: PlanRegistry;
  readonly #entries = new Map<string, SharedVersion>();

  /** @param runtime a runtime without plans. The catalog uses only its clock. */
  constructor(runtime: Runtime) {
    this.#registry = new PlanRegistry(runtime);
  }

  /** Names, versions and aliases. This registry never loads a model. */
  get registry(): PlanRegistry {
    return this.#registry;
  }

  entries(): SharedVersion[] {
    return [...this.#entries.values()];
  }

  /** Adds a version that is not packed yet. Returns its reference, `name@version`. */
  add({ name, source, version, isRequired }: NewVersion): string {
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

  /**
   * Removes a version that no alias points to. `removed` is the promise of the registry. `entry` is
   * the removed version, or undefined if the registry did not remove it.
   */
  remove(reference: string): { readonly removed: Promise<boolean>; readonly entry: SharedVersion | undefined } {
    const removed = this.#registry.remove(reference, { drainMs: 0 });
    if (this.#registry.has(reference)) return { removed, entry: undefined };
    const entry = this.entry(reference);
    this.#entries.delete(reference);
    return { removed, entry };
  }

  /** Moves the aliases of a version to another version of the model, or removes them. */
  moveAliases(reference: string): void {
    const { name } = this.entry(reference);
    const { aliases = [], versions = [] } = this.#registry.model(name) ?? {};
    const other = versions.findLast((version) => `${name}@${version}` !== reference);
    for (const { alias, version } of aliases) {
      if (version !== reference) continue;
      if (other === undefined) this.#registry.removeAlias(alias);
      else this.#registry.setAlias(alias, other);
    }
  }

  /**
   * Checks a change, and returns the versions that workers must load before the change. Throws the
   * errors that the change would cause in a server with one process.
   *
   * @throws ERR_REGISTRY_UNKNOWN, ERR_REGISTRY_REFERENCE
   */
  neededBy(change: ModelChange): SharedVersion[] {
    switch (change.action) {
      case 'load':
        return [this.#committed(this.versionOf(change.reference))];
      case 'promote': {
        const reference = `${modelOf(change.reference)}@${change.version}`;
        if (!this.#entries.has(reference)) this.apply(change); // throws the error of the registry
        return [this.#committed(reference)];
      }
      case 'canary':
        return [this.#committed(this.versionOf(`${change.reference.split(':', 1)[0]}@${change.to}`))];
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

  /**
   * Checks the name of a model to unload. Throws the errors that `unloadModel` of @brezel/oip
   * throws.
   */
  #checkUnload(name: string): void {
    const registry = this.#registry;
    const versions = registry.model(name)?.versions ?? [registry.resolve(name)];
    const references = versions.map((version) => `${name}@${version}`);
    for (const reference of references) registry.unload(reference); // only checks the reference
    if (!references.some((reference) => this.entry(reference).isCommitted)) this.#committed(references[0]!);
  }

  /**
   * Makes a change in the catalog of the primary.
   *
   * @throws the errors of the registry
   */
  apply(change: ModelChange): void {
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

  /** Returns the packed versions of a model and their aliases, as workers receive them. */
  stateOf(name: string): ModelState {
    const { versions = [], aliases = [] } = this.#registry.model(name) ?? {};
    const entries = versions
      .map((version) => this.entry(`${name}@${version}`))
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

  entry(reference: string): SharedVersion {
    return this.#entries.get(reference)!;
  }

  /**
   * Returns a version that all workers have.
   *
   * @param reference a known version, as `name@version`
   * @throws ERR_REGISTRY_UNKNOWN for a version of a watched folder that is not packed yet.
   */
  #committed(reference: string): SharedVersion {
    const entry = this.entry(reference);
    if (entry.isCommitted) return entry;
    const hint = 'the server still imports this version: send the request again later';
    throw registryError('ERR_REGISTRY_UNKNOWN', { received: JSON.stringify(reference), hint });
  }

  /**
   * Returns the version of a reference, as `name@version`.
   *
   * @throws ERR_REGISTRY_UNKNOWN, ERR_REGISTRY_REFERENCE
   */
  versionOf(reference: string): string {
    if (reference.includes('@')) return this.#registry.resolve(reference);
    const name = modelOf(reference);
    const alias = reference.includes(':') ? reference : `${name}:default`;
    const found = this.#registry.model(name)?.aliases.find((one) => one.alias === alias);
    return found?.version ?? this.#registry.resolve(reference);
  }

  /** Closes the fleet files of all versions, and the registry. */
  async close(): Promise<void> {
    for (const entry of this.#entries.values()) release(entry);
    await this.#registry.close({ drainMs: 0 });
  }
}

/**
 * Throws, because the primary never loads a plan. The function is the `load` of every version in
 * the catalog.
 */
export function neverLoaded(): never {
  throw new Error('the primary loads no plans');
}
