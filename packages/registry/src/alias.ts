import { registryError } from './errors.js';
import { aliasReference } from './reference.js';
import type { Shadow } from './shadow.js';
import { Split } from './split.js';
import type { Version } from './version.js';

interface Canary {
  readonly version: Version;
  readonly percent: number;
  readonly split: Split;
  /** That it got, since it is the canary. */
  requests: number;
}

/** What an alias means at a moment. Changed as a whole, so that no request sees half a change. */
interface Meaning {
  readonly version: Version;
  readonly canary: Canary | undefined;
}

/** Changes that `rollback` can take back. */
const REMEMBERED = 16;

/** A name for a version that can be changed while requests come in. */
export class Alias {
  readonly alias: string;
  /** `name:alias`. */
  readonly reference: string;
  shadow: Shadow | undefined;
  /** Raised by each change: whoever prepared one can see that another was quicker. */
  changes = 0;
  /** How often it came to mean another version. */
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

  /** Another share of the same canary is no change of its own: `rollback` ends the canary. */
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

  /** @throws ERR_REGISTRY_NO_PREVIOUS */
  rollback(): void {
    const meaning = this.#previous.pop();
    if (meaning === undefined) throw registryError('ERR_REGISTRY_NO_PREVIOUS', { at: this.reference });
    if (meaning.version !== this.version) this.swaps++;
    this.#meaning = meaning;
    this.changes++;
  }

  /** Whether requests reach a version by this alias. */
  reaches(version: Version): boolean {
    return this.version === version || this.canary?.version === version || this.shadow?.version === version;
  }

  /** A removed version does not come back. */
  forget(version: Version): void {
    this.#previous = this.#previous.filter((one) => one.version !== version && one.canary?.version !== version);
  }

  #become(meaning: Meaning): void {
    this.#previous.push(this.#meaning);
    if (this.#previous.length > REMEMBERED) this.#previous.shift();
    if (meaning.version !== this.version) this.swaps++;
    this.#meaning = meaning;
    this.changes++;
  }
}
