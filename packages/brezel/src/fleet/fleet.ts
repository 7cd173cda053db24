import type { CompiledPlan, OwnedPlan, PhysicalStage } from '@brezel/core';
import type { FleetContents, FleetFile, Golden, PlacedBlob } from '@brezel/fleet-file';
import type { ObjectStore } from '@brezel/object-store';
import type { Runtime } from '@brezel/runtime';
import type { RuntimeOptions } from '../create-runtime.js';
import { type GoldenDifference, replayGolden } from './golden.js';

/** What `fleet.replay()` found. */
export interface Replay {
  readonly plans: number;
  readonly rows: number;
  readonly differences: readonly GoldenDifference[];
}

/** What a fleet gets from who opens it. */
export interface FleetParts {
  /** Checks values that JavaScript relies on. Absent: they are checked when it is to run the stage; the addon checks them itself. */
  readonly checkValues?: (stage: PhysicalStage, store: ObjectStore) => void;
  readonly createRuntime: (options: RuntimeOptions) => Runtime;
}

/** An open fleet file: plans by name. */
export class Fleet {
  /** Where the parameters of its plans are. */
  readonly store: ObjectStore;
  readonly #file: FleetFile;
  readonly #parts: FleetParts;
  /** Stages whose parameter values were checked. */
  readonly #checked = new Set<string>();

  /** Made by `openFleet`. */
  constructor(file: FleetFile, store: ObjectStore, parts: FleetParts) {
    this.store = store;
    this.#file = file;
    this.#parts = parts;
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
    const { checkValues } = this.#parts;
    if (checkValues === undefined) return plan;
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
      await using own = this.#parts.createRuntime({ store: this.store, isolated: true });
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
