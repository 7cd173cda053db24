import type { CompiledPlan, OwnedPlan } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { ownPlan, storeError } from '@brezel/object-store';
import { decodeGolden } from './decode-golden.js';
import type { Golden, PlacedBlob } from './encode.js';
import { FileBlobs } from './file-blobs.js';
import { ParametersOfFile } from './file-parameters.js';
import { FilePlans, type PlanChecks } from './file-plans.js';
import type { FileHeader } from './layout.js';
import { places } from './manifest-reader.js';
import { openSource, type Source } from './open-source.js';
import { validateManifest } from './validate.js';

const { Fleet: fleetFields, Plan: planFields } = places;

export interface FleetFileOptions extends PlanChecks {
  /**
   * Checks every byte against the checksums, and what the file says of each plan. Default true. Without, the header and the manifest are checked
   * and memory stays safe, but parameters are taken as they are: for files that were verified before.
   */
  readonly verify?: boolean;
  /** Reads the whole file at once where it is mapped, so that first predictions need not wait for it. Default false. */
  readonly prefault?: boolean;
}

/** What a file is made of: numbers of its parts, and bytes. The rest of its bytes are the header and zeros. */
export interface FleetContents {
  readonly plans: number;
  /** Distinct ones, as are programs (stages without their parameters) and shapes (inputs, outputs and wiring). */
  readonly stages: number;
  readonly programs: number;
  readonly shapes: number;
  readonly parameters: number;
  readonly parameterBytes: number;
  /** Everything but parameters: plans, statistics, golden rows. */
  readonly manifestBytes: number;
}

/**
 * An open fleet file. A plan is decoded when it is asked for; its parameters are used where they lie in the mapped file, and stay as long as a
 * plan or a runtime holds them, also after `close`.
 */
export class FleetFile {
  readonly path: string;
  /** Size of the file. */
  readonly bytes: number;
  /** Name and version of who wrote it. */
  readonly producer: string;
  /** Names of the plans, as they were packed. */
  readonly names: readonly string[];
  readonly contents: FleetContents;
  readonly #store: ObjectStore;
  readonly #blobs: FileBlobs;
  readonly #parameters: ParametersOfFile;
  #source: Source | undefined;
  #plans: FilePlans | undefined;

  private constructor(path: string, header: FileHeader, source: Source, store: ObjectStore, options: FleetFileOptions) {
    const { manifest } = source;
    const { root } = manifest;
    this.path = path;
    this.bytes = header.totalBytes;
    this.producer = manifest.text(root, fleetFields.producer) ?? '';
    this.#blobs = new FileBlobs(manifest, header.manifestOffset, path);
    const parts = { path, bytes: source.bytes, store, verify: options.verify ?? true };
    this.#parameters = new ParametersOfFile(parts, this.#blobs);
    this.#plans = new FilePlans(path, manifest, this.#blobs, this.#parameters, options);
    this.names = this.#plans.names;
    this.contents = {
      plans: this.names.length,
      stages: manifest.count(root, fleetFields.stages),
      programs: manifest.count(root, fleetFields.programs),
      shapes: manifest.count(root, fleetFields.shapes),
      parameters: this.#blobs.count,
      parameterBytes: this.#blobs.bytes,
      manifestBytes: header.manifestBytes,
    };
    this.#store = store;
    this.#source = source;
  }

  /**
   * Opens a file and checks it. After an error nothing stays open or mapped, and the store is as before.
   *
   * @throws ERR_STORE_FILE, ERR_STORE_FORMAT, ERR_STORE_VERSION, ERR_STORE_DAMAGED.
   */
  static async open(path: string, store: ObjectStore, options: FleetFileOptions = {}): Promise<FleetFile> {
    const source = openSource(path, store, options.prefault ?? false);
    try {
      const file = new FleetFile(path, source.header, source, store, options);
      if (options.verify ?? true) {
        await file.#parameters.verify(source.header.manifestOffset);
        for (const name of file.names) file.#open().decode(name);
      }
      return file;
    } catch (error) {
      source.close();
      throw error;
    }
  }

  /** Parameters in the order of the file. */
  get blobs(): readonly PlacedBlob[] {
    return this.#blobs.all();
  }

  /**
   * A plan of the file, holding one reference to each of its parameters until it is released.
   *
   * @throws ERR_STORE_MISSING when there is no plan of this name; ERR_STORE_FORMAT when the plan does not hold together.
   */
  plan(name: string): OwnedPlan {
    const { plan, numbers } = this.#open().take(name);
    this.#parameters.take(numbers);
    return ownPlan(plan, this.#store.leaseAll(plan.parameters));
  }

  /** The rows that were packed with a plan, and its answers. */
  golden(name: string): Golden | undefined {
    const plans = this.#open();
    const bytes = this.#source!.manifest.bytes(plans.table(name), planFields.golden);
    if (bytes.length === 0) return undefined;
    const at = `${this.path}, golden rows of plan "${name}"`;
    validateManifest(bytes, at, 'Golden', this.#store.memory);
    return decodeGolden(bytes, plans.decode(name), at);
  }

  /** The statistics that were packed with a plan, as they were given. */
  statistics(name: string): unknown {
    const table = this.#open().table(name);
    const text = this.#source!.manifest.text(table, planFields.statistics);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text);
    } catch (cause) {
      const at = `${this.path}, statistics of plan "${name}"`;
      throw storeError('ERR_STORE_FORMAT', { expected: 'JSON', received: 'other text', at, cause });
    }
  }

  /** What the file says of a plan, without its parameters. */
  describe(name: string): CompiledPlan {
    return this.#open().decode(name);
  }

  /**
   * Whether nothing of it asks for the definition of an operator: every stage runs in the addon, and no output has labels that a table must be compared with.
   * Cost: programs and shapes are decoded, of which a family has a few.
   *
   * @throws ERR_STORE_FORMAT
   */
  get runsInAddon(): boolean {
    return this.#open().runInAddon;
  }

  /** Lets the file go. Plans that were taken from it stay usable. */
  close(): void {
    const source = this.#source;
    if (source === undefined) return;
    this.#source = undefined;
    this.#plans = undefined;
    this.#parameters.close();
    source.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(): FilePlans {
    if (this.#plans === undefined) throw storeError('ERR_STORE_CLOSED', { at: this.path });
    return this.#plans;
  }
}
