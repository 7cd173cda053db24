import type { Fleet, LoadResult } from 'brezel';

interface Entry {
  readonly fleet: Promise<Fleet>;
  users: number;
}

/**
 * Opens each artifact once for all its plans. The file is open while one of its plans is loaded.
 */
export class ArtifactFleets {
  readonly #open: (artifact: string) => Promise<Fleet>;
  readonly #entries = new Map<string, Entry>();

  constructor(open: (artifact: string) => Promise<Fleet>) {
    this.#open = open;
  }

  /** The artifacts that are open. */
  get artifacts(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Loads a plan of an artifact. */
  async load(artifact: string, plan: string): Promise<LoadResult> {
    const entry = this.#entries.get(artifact) ?? { fleet: this.#open(artifact), users: 0 };
    this.#entries.set(artifact, entry);
    entry.users++;
    const unloaded = () => {
      if (--entry.users > 0) return;
      this.#entries.delete(artifact);
      void entry.fleet.then((fleet) => fleet.close()).catch(() => {});
    };
    try {
      const fleet = await entry.fleet;
      return { plan: fleet.plan(plan), unloaded };
    } catch (error) {
      unloaded();
      throw error;
    }
  }
}
