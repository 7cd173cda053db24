import type { ObjectStore } from '@brezel/object-store';
import { whileUnchanged } from '@brezel/registry';
import type { Fleet } from '../fleet/fleet.js';
import { openFleet } from '../fleet/open-fleet.js';

interface Entry {
  readonly fleet: Promise<Fleet>;
  users: number;
}

/** A reference to an open fleet file, until `close`. */
export interface FleetLease {
  readonly fleet: Fleet;
  close(): void;
}

/** Shares fleet files: each is opened and checked once while one of its plans is loaded. */
export class OpenFleets {
  readonly #store: ObjectStore;
  readonly #entries = new Map<string, Entry>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /**
   * Returns whether this content of a path is open. It is then usable even if the path has another
   * content now.
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

  #open(path: string, identity: string): Promise<Fleet> {
    const open = () => openFleet(path, { store: this.#store });
    return whileUnchanged(path, identity, open, (fleet) => fleet.close());
  }
}

const key = (path: string, identity: string) => `${identity} ${path}`;
