import { Alias } from './alias.js';
import { registryError } from './errors.js';
import { aliasReference, checkPart, DEFAULT_ALIAS, parseReference } from './reference.js';
import type { Version } from './version.js';

/** The version or alias to which a request is sent. */
export type Target = Version | Alias;

/** The versions and aliases under one name. */
export interface Model {
  readonly name: string;
  readonly versions: Map<string, Version>;
  readonly aliases: Map<string, Alias>;
}

/**
 * The names of models, with their versions and aliases. One map holds every valid reference, so
 * that a request finds its version or alias with one lookup.
 */
export class Models {
  readonly #models = new Map<string, Model>();
  readonly #targets = new Map<string, Target>();

  /** Every valid reference, with its version or alias. */
  get targets(): ReadonlyMap<string, Target> {
    return this.#targets;
  }

  all(): Iterable<Model> {
    return this.#models.values();
  }

  get(name: string): Model | undefined {
    return this.#models.get(name);
  }

  /**
   * Returns the default version for a new plan: the largest integer version of the model plus one.
   */
  nextVersion(name: string): string {
    let greatest = 0;
    for (const version of this.#models.get(name)?.versions.keys() ?? [])
      if (/^[1-9]\d{0,14}$/.test(version)) greatest = Math.max(greatest, Number(version));
    return `${greatest + 1}`;
  }

  /**
   * Checks that a version does not exist yet.
   * @throws ERR_REGISTRY_EXISTS
   */
  checkFree(name: string, version: string): void {
    if (!this.#models.get(name)?.versions.has(version)) return;
    throw registryError('ERR_REGISTRY_EXISTS', { at: `${name}@${version}` });
  }

  add(version: Version): Model {
    const { name } = version;
    const model = this.#models.get(name) ?? { name, versions: new Map(), aliases: new Map() };
    this.#models.set(name, model);
    model.versions.set(version.version, version);
    this.#targets.set(version.reference, version);
    return model;
  }

  /**
   * Removes a version, and the aliases that point to it. Removing the last version also removes the
   * model.
   */
  remove(version: Version): void {
    const model = this.#models.get(version.name)!;
    model.versions.delete(version.version);
    this.#targets.delete(version.reference);
    for (const alias of [...model.aliases.values()]) {
      if (alias.reaches(version)) this.removeAlias(alias, model);
      else alias.forget(version);
    }
    if (model.versions.size === 0) this.#models.delete(model.name);
  }

  setAlias(model: Model, name: string, version: Version): Alias {
    const known = model.aliases.get(name);
    known?.set(version);
    if (known !== undefined) return known;
    const alias = new Alias(model.name, checkPart('alias', name), version);
    model.aliases.set(name, alias);
    this.#targets.set(alias.reference, alias);
    if (name === DEFAULT_ALIAS) this.#targets.set(model.name, alias);
    return alias;
  }

  removeAlias(alias: Alias, model: Model): void {
    model.aliases.delete(alias.alias);
    this.#targets.delete(alias.reference);
    if (alias.alias === DEFAULT_ALIAS) this.#targets.delete(model.name);
  }

  /**
   * Returns the version or alias that a reference names.
   * @throws ERR_REGISTRY_UNKNOWN, ERR_REGISTRY_REFERENCE
   */
  target(reference: string): Target {
    return this.#targets.get(reference) ?? this.#unknown(reference);
  }

  /**
   * Returns the model with a name.
   * @throws ERR_REGISTRY_UNKNOWN for an unknown name.
   */
  model(name: string): Model {
    return this.#models.get(name) ?? this.#unknown(name);
  }

  /** Returns the alias that a reference names. A name alone refers to the alias `default`. */
  alias(reference: string): { readonly model: Model; readonly alias: Alias } {
    const { model, alias: name } = this.aliasPlace(reference);
    return { model, alias: model.aliases.get(name) ?? this.#unknown(aliasReference(model.name, name)) };
  }

  /** Returns the model and the alias name in a reference. The alias does not need to exist. */
  aliasPlace(reference: string): { readonly model: Model; readonly alias: string } {
    const { name, version, alias = DEFAULT_ALIAS } = parseReference(reference);
    if (version !== undefined) {
      const expected = '"name" or "name:alias"';
      throw registryError('ERR_REGISTRY_REFERENCE', { expected, received: JSON.stringify(reference) });
    }
    return { model: this.model(name), alias };
  }

  /**
   * Returns one version of a model.
   * @throws ERR_REGISTRY_UNKNOWN when the model does not have this version.
   */
  version(model: Model, version: string | number): Version {
    return model.versions.get(`${version}`) ?? this.#unknown(`${model.name}@${version}`);
  }

  #unknown(reference: string): never {
    const { name } = parseReference(reference);
    const model = this.#models.get(name);
    const hint =
      model === undefined
        ? 'add a version of the model first'
        : `the model has versions ${few(model.versions.keys())} and aliases ${few(model.aliases.keys())}`;
    throw registryError('ERR_REGISTRY_UNKNOWN', { received: JSON.stringify(reference), hint });
  }
}

const SHOWN = 8;

function few(names: Iterable<string>): string {
  const list = [...names];
  return `${list.slice(0, SHOWN).join(', ')}${list.length > SHOWN ? ', ...' : ''}` || '(none)';
}
