import { whileUnchanged } from './file-identity.js';
import type { ModelFormats, OpenFleet } from './model-formats.js';

interface Entry {
  readonly fleet: Promise<OpenFleet>;
  users: number;
}

/** A reference to an open fleet file. `close` releases the reference. */
export interface FleetLease {
  readonly fleet: OpenFleet;
  close(): void;
}

/**
 * Shares open fleet files. A file is opened and checked once, and stays open while one of its plans
 * is loaded.
 */
export class OpenFleets {
  readonly #formats: Pick<ModelFormats, 'openFleet'>;
  readonly #entries = new Map<string, Entry>();

  constructor(formats: Pick<ModelFormats, 'openFleet'>) {
    this.#formats = formats;
  }

  /**
   * Returns whether this content of a path is open. The open file stays usable after the path gets
   * other content.
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
