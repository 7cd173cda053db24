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
 * The version and canary of an alias at one moment. The object is replaced as a whole, so that a
 * request never sees half a change.
 */
interface Meaning {
  readonly version: Version;
  readonly canary: Canary | undefined;
}

/** The largest number of changes that `rollback` can undo. */
const REMEMBERED = 16;

/** A movable name of a version. It can be changed while requests arrive. */
export class Alias {
  readonly alias: string;
  /** The reference of the alias: `name:alias`. */
  readonly reference: string;
  shadow: Shadow | undefined;
  /**
   * Each change increments this number. A caller can read it before and after a wait to detect a
   * change in between.
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
   * Sends a share of the requests to a canary. A new share for the same canary replaces the old one
   * and is not a separate change: `rollback` restores the state before the canary started.
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
   * @throws ERR_REGISTRY_NO_PREVIOUS
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
   * Removes a version from the alias and from its history, so that `rollback` cannot restore the
   * version.
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
