import {
  type CompiledPlan,
  type InspectParameters,
  inspectKey,
  inspectView,
  type OwnedPlan,
  type PhysicalStage,
} from '@brezel/core';
import type { FleetContents, FleetFile, Golden, PlacedBlob } from '@brezel/fleet-file';
import type { ObjectStore } from '@brezel/object-store';
import type { FleetLease, Runtime } from '@brezel/runtime';
import type { RuntimeOptions } from '../create-runtime.js';
import { type GoldenDifference, replayGolden } from './golden.js';

/** The result of `fleet.replay()`. */
export interface Replay {
  readonly plans: number;
  readonly rows: number;
  readonly differences: readonly GoldenDifference[];
}

/** The functions that `openFleet` passes to a fleet. */
export interface FleetParts {
  /**
   * Checks the parameter values of a stage when `plan` returns a plan with this stage. Undefined if
   * `openFleet` has checked all values, or if the addon checks them. In the second case, the
   * operators check the values before JavaScript runs the stage.
   */
  readonly checkValues?: (stage: PhysicalStage, store: ObjectStore) => void;
  readonly createRuntime: (options: RuntimeOptions) => Runtime;
}

/** An open fleet file. It gives access to plans by name. */
export class Fleet {
  /** The store with the parameters of the plans. */
  readonly store: ObjectStore;
  readonly #file: FleetFile;
  readonly #parts: FleetParts;
  /** Keys of the stages whose parameter values are already checked. */
  readonly #checked = new Set<string>();

  /** Creates a fleet; only `openFleet` calls it. */
  constructor(file: FleetFile, store: ObjectStore, parts: FleetParts) {
    this.store = store;
    this.#file = file;
    this.#parts = parts;
  }

  get path(): string {
    return this.#file.path;
  }

  /** Size of the file in bytes. */
  get bytes(): number {
    return this.#file.bytes;
  }

  /**
   * Fingerprint of the key that signed the file. Undefined if the file was opened without
   * `trustedKeys`, because then Brezel checks no signature.
   */
  get signedBy(): string | undefined {
    return this.#file.signedBy;
  }

  /** Name and version of the software that packed the file. */
  get producer(): string {
    return this.#file.producer;
  }

  /** The number of plans, stages and parameters in the file, and their bytes. */
  get contents(): FleetContents {
    return this.#file.contents;
  }

  /**
   * Resolves when all pages of a fleet opened with `prefault` are in memory. Resolves immediately
   * without `prefault`, for a file that is not mapped, and after `close`. Never rejects.
   *
   * @example
   * const fleet = await openFleet(`${folder}/fleet.brezel`, { prefault: true });
   * const runtime = createRuntime({ store: fleet.store });
   * for (const name of fleet.names) runtime.register(fleet.plan(name));
   * await fleet.prefaulted; // now report readiness
   * fleet.close();
   */
  get prefaulted(): Promise<void> {
    return this.#file.prefaulted;
  }

  /** Names of the plans, in the order in which `packFleet` received them. */
  get names(): readonly string[] {
    return this.#file.names;
  }

  /** The parameters in file order, each with id, type, shape, bytes and position in the file. */
  get parameters(): readonly PlacedBlob[] {
    return this.#file.blobs;
  }

  /**
   * Returns a plan that can be registered. The plan holds references to its parameters until
   * `release()` is called or the plan is garbage collected. A runtime takes separate references.
   *
   * Cost: decodes the plan. Parameters are read from the mapped file, not copied.
   *
   * @throws ERR_STORE_MISSING when the file has no plan with this name; ERR_STORE_CLOSED after
   * `close`.
   */
  plan(name: string): OwnedPlan {
    return this.#checkedPlan(this.#file.plan(name));
  }

  /**
   * Returns access to the plans that does not end with `close`: the file stays mapped until the
   * lease is released. `Runtime.registerFleet` calls it.
   *
   * @throws ERR_STORE_CLOSED after `close`.
   */
  lease(): FleetLease {
    const lease = this.#file.lease();
    return {
      names: lease.names,
      steps: (name) => lease.steps(name),
      plan: (name) => this.#checkedPlan(lease.plan(name)),
      release: () => lease.release(),
    };
  }

  /** Checks the parameter values of a plan, if this was not done yet. Releases a rejected plan. */
  #checkedPlan(plan: OwnedPlan): OwnedPlan {
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

  /** Returns a plan as plain data, without loading its parameters into the store. */
  describe(name: string): CompiledPlan {
    return this.#file.describe(name);
  }

  /**
   * Returns the rows and answers that were packed with a plan, or undefined if none were packed.
   */
  golden(name: string): Golden | undefined {
    return this.#file.golden(name);
  }

  /** Returns the statistics that were packed with a plan, or undefined if none were packed. */
  statistics(name: string): unknown {
    return this.#file.statistics(name);
  }

  /**
   * Runs the golden rows of every plan, and compares the answers bit by bit with the packed
   * answers.
   *
   * @param runtime the runtime to use. Default: a temporary runtime over this fleet's store.
   * @throws ERR_FLEET_GOLDEN when packed rows are malformed.
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

  /**
   * Closes the file. Plans that `plan()` has returned continue to work, also in runtimes. A runtime
   * with `registerFleet` keeps the file mapped until it has registered or removed all plans.
   */
  close(): void {
    this.#file.close();
  }

  [inspectKey](...parameters: InspectParameters): string {
    const { path, bytes, names } = this;
    return inspectView('Fleet', { path, bytes, plans: [...names] }, parameters);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
