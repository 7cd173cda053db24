import { registryError } from './errors.js';
import { aliasReference } from './reference.js';
import type { Shadow } from './shadow.js';
import { Split } from './split.js';
import type { Version } from './version.js';

interface Canary {
  readonly version: Version;
  readonly percent: number;
  readonly split: Split;
  /** Number of requests that were sent to the canary. */
  requests: number;
}

/**
 * The version and canary of an alias at one moment. Each change creates a new object, so that a
 * request never sees the old version with the new canary.
 */
interface Meaning {
  readonly version: Version;
  readonly canary: Canary | undefined;
}

/** An alias stores at most this many earlier states, which `rollback` can restore. */
const REMEMBERED = 16;

/** A movable name of a version. You can change an alias while requests use it. */
export class Alias {
  readonly alias: string;
  /** The reference of the alias: `name:alias`. */
  readonly reference: string;
  shadow: Shadow | undefined;
  /**
   * The number of changes of the alias. A caller can compare the number before and after an
   * asynchronous operation to detect a change.
   */
  changes = 0;
  /** Number of times that the alias was set to another version. */
  swaps = 0;
  requests = 0;
  #meaning: Meaning;
  #previous: Meaning[] = [];

  constructor(name: string, alias: string, version: Version) {
    this.alias = alias;
    this.reference = aliasReference(name, alias);
    this.#meaning = { version, canary: undefined };
  }

  get version(): Version {
    return this.#meaning.version;
  }

  get canary(): Canary | undefined {
    return this.#meaning.canary;
  }

  pick(key: string | number | undefined): Version {
    const { version, canary } = this.#meaning;
    this.requests++;
    if (canary === undefined || !canary.split.picks(key)) return version;
    canary.requests++;
    return canary.version;
  }

  set(version: Version): void {
    if (version === this.version && this.canary === undefined) return;
    this.#become({ version, canary: undefined });
  }

  /**
   * Sends `percent` % of the requests to a canary. If `version` already is the canary, only the
   * percentage changes. One `rollback` then restores the state before the canary started.
   */
  setCanary(version: Version, percent: number): void {
    const { requests } = this.canary?.version === version ? this.canary : { requests: 0 };
    const canary = { version, percent, split: new Split(percent / 100, this.reference), requests };
    const meaning = { version: this.version, canary };
    if (this.canary?.version === version) {
      this.#meaning = meaning;
      this.changes++;
    } else {
      this.#become(meaning);
    }
  }

  /**
   * Undoes the last change.
   * @throws ERR_REGISTRY_NO_PREVIOUS if no earlier state is stored.
   */
  rollback(): void {
    const meaning = this.#previous.pop();
    if (meaning === undefined) throw registryError('ERR_REGISTRY_NO_PREVIOUS', { at: this.reference });
    if (meaning.version !== this.version) this.swaps++;
    this.#meaning = meaning;
    this.changes++;
  }

  /** Returns whether this alias may send requests to a version. */
  reaches(version: Version): boolean {
    return this.version === version || this.canary?.version === version || this.shadow?.version === version;
  }

  /**
   * Removes a version from the history of the alias, so that `rollback` cannot restore the version.
   */
  forget(version: Version): void {
    this.#previous = this.#previous.filter(
      (meaning) => meaning.version !== version && meaning.canary?.version !== version,
    );
  }

  #become(meaning: Meaning): void {
    this.#previous.push(this.#meaning);
    if (this.#previous.length > REMEMBERED) this.#previous.shift();
    if (meaning.version !== this.version) this.swaps++;
    this.#meaning = meaning;
    this.changes++;
  }
}
