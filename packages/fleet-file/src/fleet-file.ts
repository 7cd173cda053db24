import type { CompiledPlan, OwnedPlan } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { ownPlan, storeError } from '@brezel/object-store';
import { decodeGolden } from './decode-golden.js';
import type { Golden, PlacedBlob } from './encode.js';
import { FileBlobs } from './file-blobs.js';
import { FileLease } from './file-lease.js';
import { ParametersOfFile } from './file-parameters.js';
import { FilePlans, type PlanChecks } from './file-plans.js';
import { vtableOffsets } from './manifest-reader.js';
import { type OpenedSource, openSource, type Source, type SourceOptions } from './open-source.js';
import { Prefault } from './prefault.js';
import { validateManifest } from './validate.js';

const { Fleet: fleetFields, Plan: planFields } = vtableOffsets;

export interface FleetFileOptions extends PlanChecks, SourceOptions {
  /**
   * If true (the default), every byte is compared with the checksums, and each plan is decoded and
   * checked. If false, only the header and the manifest are checked: invalid parameters cannot
   * damage memory, but they can change answers. Use false for files that you already verified.
   */
  readonly verify?: boolean;
}

/**
 * The number of plans, stages and parameters in a fleet file, and the bytes that they take. The
 * remaining bytes of the file are the header and zeros.
 */
export interface FleetContents {
  readonly plans: number;
  /**
   * Number of distinct stages. `programs` is the number of distinct stages if their parameters are
   * ignored. `shapes` is the number of distinct combinations of plan inputs, plan outputs and
   * wiring.
   */
  readonly stages: number;
  readonly programs: number;
  readonly shapes: number;
  readonly parameters: number;
  readonly parameterBytes: number;
  /** Bytes of the manifest: plans, statistics and golden rows. */
  readonly manifestBytes: number;
}

/**
 * An open fleet file. `plan` decodes one plan. The parameters of the plan are views of the mapped
 * file, or copies if the file is not mapped. They stay valid while a plan or a runtime holds them,
 * even after `close`.
 */
export class FleetFile {
  readonly path: string;
  /** Size of the file in bytes. */
  readonly bytes: number;
  /** Name and version of the software that wrote the file. */
  readonly producer: string;
  /** Names of the plans in the order in which they were packed. */
  readonly names: readonly string[];
  readonly contents: FleetContents;
  /**
   * Fingerprint of the trusted key that signed the file, if the file was opened with `trustedKeys`.
   */
  readonly signedBy: string | undefined;
  readonly #store: ObjectStore;
  readonly #blobs: FileBlobs;
  readonly #parameters: ParametersOfFile;
  readonly #prefault: Prefault | undefined;
  #source: Source | undefined;
  /** Undefined after `close`. Leases hold the plans longer. */
  #plans: FilePlans | undefined;
  /** Number of leases that are not released. */
  #leases = 0;

  private constructor(path: string, source: OpenedSource, store: ObjectStore, options: FleetFileOptions) {
    const { header, manifest, signedBy } = source;
    const { root } = manifest;
    this.path = path;
    this.signedBy = signedBy;
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
    const { touch } = source.bytes;
    if (options.prefault && touch) this.#prefault = new Prefault(touch, header.totalBytes);
  }

  /**
   * Opens a file and checks it. If it throws, no file is open or mapped, and the store is
   * unchanged.
   *
   * @throws ERR_STORE_FILE, ERR_STORE_FORMAT, ERR_STORE_VERSION, ERR_STORE_DAMAGED;
   * ERR_FLEET_CHANGED, ERR_FLEET_SNAPSHOT with mapping `snapshot`; ERR_FLEET_SIGNATURE,
   * ERR_FLEET_KEY with `trustedKeys`; ERR_FLEET_OPTION.
   */
  static async open(path: string, store: ObjectStore, options: FleetFileOptions = {}): Promise<FleetFile> {
    const source = await openSource(path, store, options);
    let file: FleetFile | undefined;
    try {
      file = new FleetFile(path, source, store, options);
      if (options.verify ?? true) {
        await file.#parameters.verify(source.header.manifestOffset);
        for (const name of file.names) file.#open().decode(name);
      }
      return file;
    } catch (error) {
      if (file === undefined) source.close();
      else file.close();
      throw error;
    }
  }

  /**
   * Resolves when every page of a file that was opened with `prefault` has been read once and is in
   * memory. Resolves immediately without `prefault`, for a file that is not mapped, and after
   * `close`. Never rejects.
   */
  get prefaulted(): Promise<void> {
    return this.#prefault?.done ?? Promise.resolve();
  }

  /** The parameters, in file order. */
  get blobs(): readonly PlacedBlob[] {
    return this.#blobs.all();
  }

  /**
   * Returns a plan of the file. The plan holds one reference to each of its parameters until it is
   * released.
   *
   * @throws ERR_STORE_MISSING when the file has no plan with this name; ERR_STORE_FORMAT when the
   * plan is inconsistent.
   */
  plan(name: string): OwnedPlan {
    return this.#take(this.#open(), name);
  }

  /**
   * Returns access to the plans that does not end with `close`. After `close`, the file stays open
   * until all leases are released.
   *
   * @throws ERR_STORE_CLOSED
   */
  lease(): FileLease {
    const plans = this.#open();
    this.#leases++;
    return new FileLease(
      plans,
      (name) => this.#take(plans, name),
      () => {
        this.#leases--;
        this.#endUnused();
      },
    );
  }

  #take(plans: FilePlans, name: string): OwnedPlan {
    const { plan, numbers } = plans.take(name);
    this.#parameters.take(numbers);
    this.#prefault?.first(numbers.map((number) => this.#blobs.at(number)));
    return ownPlan(plan, this.#store.leaseAll(plan.parameters));
  }

  /** Returns the golden rows of a plan, or undefined if the plan was packed without them. */
  golden(name: string): Golden | undefined {
    const plans = this.#open();
    const bytes = this.#source!.manifest.bytes(plans.table(name), planFields.golden);
    if (bytes.length === 0) return undefined;
    const at = `${this.path}, golden rows of plan "${name}"`;
    validateManifest(bytes, at, 'Golden', this.#store.memory);
    return decodeGolden(bytes, plans.decode(name), at);
  }

  /** Returns the statistics that were packed with a plan, or undefined if there are none. */
  statistics(name: string): unknown {
    const table = this.#open().table(name);
    const text = this.#source!.manifest.text(table, planFields.statistics);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text);
    } catch (cause) {
      const at = `${this.path}, statistics of plan "${name}"`;
      throw storeError('ERR_STORE_FORMAT', { expected: 'JSON', received: 'invalid JSON', at, cause });
    }
  }

  /** Returns a plan as plain data, without taking references to its parameters. */
  describe(name: string): CompiledPlan {
    return this.#open().decode(name);
  }

  /**
   * Whether Brezel can open the file without the definitions of operators: every stage runs in the
   * addon, and no output has labels. Labels are checked against the tables of their operators.
   *
   * Cost: decodes all programs and shapes. Models of a family share most of them.
   *
   * @throws ERR_STORE_FORMAT
   */
  get runsInAddon(): boolean {
    return this.#open().runInAddon;
  }

  /** Closes the file. Plans that were taken from it stay usable, and leases continue. */
  close(): void {
    this.#plans = undefined;
    this.#endUnused();
  }

  /** Releases the source of the file if the file is closed and has no lease. */
  #endUnused(): void {
    const source = this.#source;
    if (source === undefined || this.#plans !== undefined || this.#leases > 0) return;
    this.#source = undefined;
    this.#prefault?.close();
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
