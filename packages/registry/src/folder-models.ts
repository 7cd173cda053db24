import { basename, extname } from 'node:path';
import type { RegisterOptions } from '@brezel/runtime';
import { registryError } from './errors.js';
import type { FileIdentity } from './file-identity.js';
import { DEFAULT_ALIAS, parseReference } from './reference.js';
import type { PlanRegistry } from './registry.js';
import type { PlanSource } from './source.js';

export interface FolderModelsParts {
  readonly registry: Pick<
    PlanRegistry<PlanSource>,
    'add' | 'has' | 'load' | 'model' | 'pin' | 'remove' | 'removeAlias' | 'setAlias' | 'unpin'
  >;
  onnx(path: string, identity: string): PlanSource;
  addFleet(path: string, options: FolderAddOptions & { readonly version: string }): Promise<readonly string[]>;
}

/** The options of every version that a folder adds. */
export type FolderAddOptions = Omit<RegisterOptions, 'name'> & { readonly pin: boolean };

type Taken = { readonly versions: readonly string[] } | { readonly error: unknown };

/**
 * Adds versions to a registry for the files of a folder, and removes versions whose files are gone.
 */
export class FolderModels {
  readonly #parts: FolderModelsParts;
  readonly #alias: string | false;
  readonly #options: FolderAddOptions;
  /**
   * Versions whose file was removed or replaced, but to which an alias of the user still points.
   */
  readonly #leftovers = new Set<string>();

  constructor(parts: FolderModelsParts, alias: string | false, options: FolderAddOptions) {
    this.#parts = parts;
    this.#alias = alias;
    this.#options = options;
  }

  /**
   * Adds the versions of all files when a watch starts, older versions first. Does not load model
   * files.
   */
  async first(files: ReadonlyMap<string, FileIdentity>, settle: (path: string, result: Taken) => void): Promise<void> {
    const byVersion = [...files].sort(([a, first], [b, second]) => newerLast(labelOf(a, first), labelOf(b, second)));
    for (const [path, identity] of byVersion)
      settle(path, await this.#attempt(() => this.#add(path, identity, [], false), []));
  }

  /**
   * Adds the versions of a file, and removes the versions of its previous content. If the new
   * content cannot be loaded, the versions of the previous content stay.
   */
  take(path: string, identity: FileIdentity, before: readonly string[]): Promise<Taken> {
    return this.#attempt(() => this.#add(path, identity, before, true), before);
  }

  /**
   * Pins versions whose file was replaced or is missing. Their content no longer exists on disk, so
   * an unloaded version could not be loaded again.
   */
  pin(versions: readonly string[]): void {
    for (const version of versions) if (this.#parts.registry.has(version)) this.#parts.registry.pin(version);
  }

  /**
   * Unpins versions after their file has its previous content again, because these versions can
   * then be loaded again. Has no effect if the folder pins its versions.
   */
  unpin(versions: readonly string[]): void {
    if (this.#options.pin) return;
    for (const version of versions) if (this.#parts.registry.has(version)) this.#parts.registry.unpin(version);
  }

  /**
   * Removes versions. If the user has set an alias to a version, the version stays until the user
   * moves the alias.
   */
  drop(versions: readonly string[]): void {
    for (const version of versions) this.#leftovers.add(version);
    this.removeLeftovers();
  }

  removeLeftovers(): void {
    for (const version of this.#leftovers) {
      if (this.#parts.registry.has(version) && !this.#moveAway(version)) continue;
      this.#leftovers.delete(version);
    }
  }

  async #attempt(add: () => Promise<readonly string[]>, before: readonly string[]): Promise<Taken> {
    try {
      const versions = await add();
      for (const version of versions) this.#follow(version, before);
      this.drop(before.filter((version) => !versions.includes(version)));
      return { versions };
    } catch (error) {
      return { error };
    }
  }

  async #add(
    path: string,
    identity: FileIdentity,
    before: readonly string[],
    load: boolean,
  ): Promise<readonly string[]> {
    const { registry } = this.#parts;
    const { name, version = stamp(identity, before) } = nameOf(path);
    const options = { ...this.#options, version };
    if (extname(path) === '.brezel') return this.#parts.addFleet(path, options);
    const reference = registry.add(name, this.#parts.onnx(path, identity.id), options);
    if (!load) return [reference];
    try {
      await registry.load(reference);
      return [reference];
    } catch (error) {
      this.drop([reference]);
      throw error;
    }
  }

  /**
   * Points the alias of the folder to a version that was added, in three cases: the alias does not
   * exist yet, it points to an older version, or it points to a version in `before`. `before` has
   * the versions that the added version replaces.
   */
  #follow(reference: string, before: readonly string[]): void {
    if (this.#alias === false) return;
    const { name, version = '' } = parseReference(reference);
    const alias = `${name}:${this.#alias}`;
    const now = this.#parts.registry.model(name)?.aliases.find((candidate) => candidate.alias === alias)?.version;
    const replaces = now !== undefined && before.includes(now);
    const isNewer = now === undefined || newerLast(parseReference(now).version ?? '', version) < 0;
    if (now !== reference && (replaces || isNewer)) this.#parts.registry.setAlias(alias, version);
  }

  /**
   * Moves the folder's alias and the alias `default` from a version to the newest other version, or
   * removes them if there is none. Then removes the version. Returns false, without a change, if
   * another alias points to the version.
   */
  #moveAway(reference: string): boolean {
    const { registry } = this.#parts;
    const { name, version } = parseReference(reference);
    const { aliases, versions } = registry.model(name)!;
    const means = aliases.filter((alias) =>
      [alias.version, alias.canary?.version, alias.shadow?.version].includes(reference),
    );
    const own = new Set([`${name}:${this.#alias}`, `${name}:${DEFAULT_ALIAS}`]);
    const others = versions.filter((other) => other !== version).sort(newerLast);
    if (means.some(({ alias }) => !own.has(alias))) return false;
    for (const { alias } of means) {
      const newest = others.at(-1);
      if (newest === undefined) registry.removeAlias(alias);
      else registry.setAlias(alias, newest);
    }
    // Nothing waits for this promise. It settles when the requests of the version have ended, or
    // when the registry closes.
    registry.remove(reference).catch(() => {});
    return true;
  }
}

/** Splits a file name such as `NAME@VERSION.onnx` into name and version. */
function nameOf(path: string): { readonly name: string; readonly version?: string } {
  const reference = parseReference(basename(path, extname(path)));
  if (reference.alias === undefined) return reference;
  const received = JSON.stringify(basename(path));
  throw registryError('ERR_REGISTRY_REFERENCE', {
    expected: 'NAME or NAME@VERSION before the file extension',
    received,
  });
}

/**
 * Returns the version for a file whose name contains no version: the modification time of the file.
 */
function stamp({ changedMs }: FileIdentity, before: readonly string[]): string {
  const time = new Date(changedMs).toISOString().replaceAll(/[-:]/g, '');
  let version = time;
  for (let again = 2; before.some((other) => other.endsWith(`@${version}`)); again++) version = `${time}-${again}`;
  return version;
}

/**
 * Returns the text by which a file is sorted: the version in its name, otherwise its modification
 * time. Returns '' for an invalid file name, which `#add` rejects later.
 */
function labelOf(path: string, { changedMs }: FileIdentity): string {
  try {
    return nameOf(path).version ?? `${changedMs}`;
  } catch {
    return '';
  }
}

const { compare } = new Intl.Collator('en', { numeric: true });
/**
 * Compares two versions for sorting; the newer version comes last. Digits are compared as numbers:
 * 10 is newer than 9.
 */
const newerLast = (a: string, b: string) => compare(a, b);
