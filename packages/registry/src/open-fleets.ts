import { whileUnchanged } from './file-identity.js';
import type { ModelFormats, OpenFleet } from './model-formats.js';

interface Entry {
  readonly fleet: Promise<OpenFleet>;
  users: number;
}

/**
 * A fleet file that one caller of `OpenFleets` uses. The caller must call `close` once; the last
 * `close` closes the file.
 */
export interface FleetLease {
  readonly fleet: OpenFleet;
  close(): void;
}

/**
 * Opens each fleet file once for all its plans. The file stays open while one of its plans is
 * loaded.
 */
export class OpenFleets {
  readonly #formats: Pick<ModelFormats, 'openFleet'>;
  readonly #entries = new Map<string, Entry>();

  constructor(formats: Pick<ModelFormats, 'openFleet'>) {
    this.#formats = formats;
  }

  /**
   * Returns whether a file with this path and this content is open. An open file stays usable after
   * another file replaces it on disk.
   */
  has(path: string, identity: string): boolean {
    return this.#entries.has(key(path, identity));
  }

  async use(path: string, identity: string): Promise<FleetLease> {
    const name = key(path, identity);
    const entry = this.#entries.get(name) ?? { fleet: this.#open(path, identity), users: 0 };
    this.#entries.set(name, entry);
    entry.users++;
    const leave = () => {
      if (--entry.users === 0) this.#entries.delete(name);
      return entry.users;
    };
    try {
      const fleet = await entry.fleet;
      return {
        fleet,
        close: () => {
          if (leave() === 0) fleet.close();
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  #open(path: string, identity: string): Promise<OpenFleet> {
    return whileUnchanged(
      path,
      identity,
      () => this.#formats.openFleet(path),
      (fleet) => fleet.close(),
    );
  }
}

const key = (path: string, identity: string) => `${identity} ${path}`;
