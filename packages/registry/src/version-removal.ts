import { registryError } from './errors.js';
import type { RegistryEvents } from './events.js';
import type { Loader } from './loader.js';
import type { Models } from './models.js';
import type { Version } from './version.js';

/**
 * Removes versions. A removed version is unknown to new requests immediately. Its plan is released
 * after its last request or after a timeout.
 */
export class VersionRemoval {
  readonly #models: Models;
  readonly #loader: Loader;
  readonly #removed: (event: RegistryEvents['removed'][0]) => void;
  readonly #leaving = new Set<Version>();

  constructor(models: Models, loader: Loader, removed: (event: RegistryEvents['removed'][0]) => void) {
    this.#models = models;
    this.#loader = loader;
    this.#removed = removed;
  }

  /** Removed versions with requests in flight. */
  get leaving(): Iterable<Version> {
    return this.#leaving;
  }

  /**
   * Removes versions and waits for their requests.
   * @returns whether all requests were answered in time.
   */
  async remove(versions: readonly Version[], drainMs: number): Promise<boolean> {
    for (const version of versions) {
      this.#models.remove(version);
      version.isLeaving = true;
      this.#leaving.add(version);
    }
    const drained = await Promise.all(versions.map((version) => this.#drained(version, drainMs)));
    return drained.every(Boolean);
  }

  /** Removes all versions. The timeout also applies to versions that are already being removed. */
  async removeAll(drainMs: number): Promise<void> {
    const leaving = [...this.#leaving].map((version) => this.#drained(version, drainMs));
    const versions = [...this.#models.all()].flatMap((model) => [...model.versions.values()]);
    await Promise.all([this.remove(versions, drainMs), ...leaving]);
    await this.#loader.settled();
  }

  /**
   * Checks that no alias points to a version.
   * @throws ERR_REGISTRY_ALIASED
   */
  checkUnaliased(version: Version): void {
    const aliases = [...this.#models.model(version.name).aliases.values()].filter((alias) => alias.reaches(version));
    if (aliases.length === 0) return;
    const received = aliases.map((alias) => alias.reference).join(', ');
    throw registryError('ERR_REGISTRY_ALIASED', { received, at: version.reference });
  }

  /** Waits for the requests of a removed version, then releases the plan of the version. */
  async #drained(version: Version, drainMs: number): Promise<boolean> {
    const drained = version.inFlight === 0 || (await version.idle(drainMs));
    version.isGone = true;
    version.abandon?.();
    if (!this.#leaving.delete(version)) return drained; // `close` has already released it
    this.#loader.unload(version, 'removed');
    this.#removed({ version: version.reference, drained });
    return drained;
  }
}
