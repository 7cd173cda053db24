import type { CompiledPlan, OwnedPlan } from '@brezel/core';
import { type FleetContents, FleetFile, type Golden, type ObjectStore, type PlacedBlob } from '@brezel/object-store';
import type { Runtime } from '@brezel/runtime';
import { createRuntime, openStore } from '../wire.js';
import { LabelCheck } from './check-labels.js';
import { checkStage, checkValues, withKey } from './check-stage.js';
import { type GoldenDifference, replayGolden } from './golden.js';

export interface OpenOptions {
  /** Where the parameters are to live; default: a store of its own, `fleet.store`. */
  readonly store?: ObjectStore;
  /**
   * Checks every byte of the file against its checksums, and every plan as if it were compiled anew. Default true. False, for a file that was
   * verified before (`brezel verify`): opening reads the header and the manifest alone, and checks plans when they are taken; memory stays safe,
   * but parameters and the keys of stages are taken as they are.
   */
  readonly verify?: boolean;
  /** Reads the whole file now, so that first predictions find it in memory. Default false. */
  readonly prefault?: boolean;
}

/** What `fleet.replay()` found. */
export interface Replay {
  readonly plans: number;
  readonly rows: number;
  readonly differences: readonly GoldenDifference[];
}

/**
 * Opens a fleet file that `packFleet` or `brezel pack` wrote. Parameters are not read: the file is mapped read-only, shared by all threads and
 * processes that open it, and kept mapped while a plan or a runtime needs it. Replace such a file by rename (as `packFleet` does), never in place.
 *
 * @throws ERR_STORE_FILE, ERR_STORE_FORMAT, ERR_STORE_VERSION, ERR_STORE_DAMAGED, ERR_FLEET_STAGE, ERR_FLEET_LABELS: then nothing is mapped or stored.
 * @example
 * const fleet = await openFleet(`${folder}/fleet.brezel`);
 * const runtime = createRuntime({ store: fleet.store });
 * for (const name of fleet.names) {
 *   const plan = fleet.plan(name);
 *   runtime.register(plan);
 *   plan.release(); // the runtime holds references of its own
 * }
 * fleet.close();
 */
export async function openFleet(path: string, options: OpenOptions = {}): Promise<Fleet> {
  const { store = await openStore(), verify = true, prefault = false } = options;
  const labels = new LabelCheck(verify);
  const file = await FleetFile.open(path, store, {
    verify,
    prefault,
    checkStage,
    checkPlan: (plan, form, parameters) => labels.check(plan, form, parameters),
    ...(verify && { identify: (stage) => withKey(stage, store) }),
  });
  return new Fleet(file, store, verify);
}

/** An open fleet file: plans by name. */
export class Fleet {
  /** Where the parameters of its plans are. */
  readonly store: ObjectStore;
  readonly #file: FleetFile;
  readonly #verify: boolean;
  /** Stages whose parameter values were checked. */
  readonly #checked = new Set<string>();

  /** Made by `openFleet`. */
  constructor(file: FleetFile, store: ObjectStore, verify: boolean) {
    this.store = store;
    this.#file = file;
    this.#verify = verify;
  }

  get path(): string {
    return this.#file.path;
  }

  /** Size of the file. */
  get bytes(): number {
    return this.#file.bytes;
  }

  /** Name and version of who packed it. */
  get producer(): string {
    return this.#file.producer;
  }

  /** What it is made of: how many plans, stages and parameters, and their bytes. */
  get contents(): FleetContents {
    return this.#file.contents;
  }

  /** Names of the plans, as they were packed. */
  get names(): readonly string[] {
    return this.#file.names;
  }

  /** Parameters in the order of the file: id, type, shape, bytes and where they lie. */
  get parameters(): readonly PlacedBlob[] {
    return this.#file.blobs;
  }

  /**
   * A plan, ready to be registered. It holds references to its parameters until `release()` (or garbage collection); a runtime takes its own.
   *
   * @throws ERR_STORE_MISSING when there is no plan of this name; ERR_STORE_CLOSED after `close`.
   */
  plan(name: string): OwnedPlan {
    const plan = this.#file.plan(name);
    // The addon checks values itself; what runs in JavaScript relies on this.
    if (!this.#verify && this.store.memory.kind === 'native') return plan;
    try {
      for (const { stage } of plan.stages) {
        if (this.#checked.has(stage.key)) continue;
        checkValues(stage, this.store);
        this.#checked.add(stage.key);
      }
      return plan;
    } catch (error) {
      plan.release();
      throw error;
    }
  }

  /** What the file says of a plan; its parameters are not in the store for that. */
  describe(name: string): CompiledPlan {
    return this.#file.describe(name);
  }

  /** The rows and answers packed with a plan. */
  golden(name: string): Golden | undefined {
    return this.#file.golden(name);
  }

  /** The statistics packed with a plan. */
  statistics(name: string): unknown {
    return this.#file.statistics(name);
  }

  /**
   * Answers the golden rows of every plan, and compares bit by bit with what was packed.
   *
   * @param runtime who answers; default: one of its own, over this fleet's store.
   */
  async replay(runtime?: Runtime): Promise<Replay> {
    if (runtime === undefined) {
      await using own = createRuntime({ store: this.store, isolated: true });
      return await this.replay(own);
    }
    let rows = 0;
    const differences: GoldenDifference[] = [];
    for (const name of this.names) {
      const golden = this.golden(name);
      if (golden === undefined) continue;
      const compiled = this.plan(name);
      const plan = runtime.register(compiled);
      compiled.release();
      try {
        differences.push(...replayGolden(runtime, plan, golden));
      } finally {
        runtime.unregister(plan);
      }
      rows += golden.rows;
    }
    return { plans: this.names.length, rows, differences };
  }

  /** Lets the file go. Plans that were taken from it, and runtimes they are registered with, go on. */
  close(): void {
    this.#file.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
