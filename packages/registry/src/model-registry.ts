import { fileURLToPath } from 'node:url';
import type { CompiledPlan, ModelLimits, NonFiniteChoice, Precision } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { Runtime } from '@brezel/runtime';
import { identify } from './file-identity.js';
import { fileSource, importsOf, type PlanFile } from './file-source.js';
import { FolderWatch, type WatchOptions } from './folder-watch.js';
import type { ModelFormats, OpenFleet } from './model-formats.js';
import { OpenFleets } from './open-fleets.js';
import type { AddOptions, RegistryOptions } from './options.js';
import { parseReference } from './reference.js';
import { PlanRegistry } from './registry.js';
import type { PlanSource } from './source.js';

/**
 * The source from which a version is loaded: the path of a model file, or of a fleet file with one
 * plan; a `PlanFile`; a plan of an open fleet; a compiled plan; or an object with `load()`.
 */
export type ModelSource = string | URL | PlanFile | FleetPlan | CompiledPlan | PlanSource;

/** A plan of an open fleet, as the source of a version. */
export interface FleetPlan {
  /** The open fleet. Keep the fleet open until the version is removed. */
  readonly fleet: OpenFleet;
  /** Name of the plan in the fleet. */
  readonly plan: string;
}

/** The values that `createRegistry` passes to a registry. */
export interface ModelRegistryParts {
  readonly runtime: Runtime;
  /** Whether closing the registry closes the runtime. */
  readonly ownsRuntime: boolean;
  readonly formats: ModelFormats;
  /**
   * Whether to load model files whose learned numbers contain NaN, or an infinity that has no
   * meaning for the operator.
   */
  readonly nonFinite: NonFiniteChoice | undefined;
  /** Limits of the import of model files. */
  readonly limits: Partial<ModelLimits> | undefined;
  /** Whether to split each n-gram that skl2onnx wrote as one string into its words. */
  readonly repairNgrams: boolean | undefined;
  /** The type in which the programs of scikit-learn files compute. */
  readonly precision: Precision | undefined;
}

/** A `PlanRegistry` that loads models from files and folders. Create it with `createRegistry`. */
export class ModelRegistry extends PlanRegistry<ModelSource> {
  /** The store of the parameters. Compiled plans and open fleets must use the same store. */
  readonly store: ObjectStore;
  readonly #runtime: Runtime;
  readonly #ownsRuntime: boolean;
  readonly #fileSource: (file: PlanFile, identity?: string) => PlanSource;
  readonly #fleets: OpenFleets;
  readonly #formats: ModelFormats;
  readonly #watches = new Set<FolderWatch>();

  /** Creates a registry; only `createRegistry` calls it. */
  constructor(options: RegistryOptions, parts: ModelRegistryParts) {
    const { runtime, ownsRuntime, formats } = parts;
    const fleets = new OpenFleets(formats);
    const sourceParts = { formats, fleets, imports: importsOf(parts) };
    const ofFile = (file: PlanFile, identity?: string) => fileSource(file, sourceParts, identity);
    super(runtime, options, (source) => sourceOf(source, ofFile), formats.importsAtOnce);
    this.store = runtime.store;
    this.#runtime = runtime;
    this.#ownsRuntime = ownsRuntime;
    this.#fileSource = ofFile;
    this.#fleets = fleets;
    this.#formats = formats;
  }

  /**
   * Adds one version for each plan of a fleet file. The name of the model is the plan's name. If
   * one plan cannot be added, no plan is added. Opens and checks the file; each plan is loaded on
   * first use.
   *
   * @returns `name@version` of each plan.
   * @throws the errors of `openFleet` and `add`.
   * @example await registry.addFleet(`${folder}/fleet.brezel`, { version: '2025-11', aliases: ['production'] })
   */
  async addFleet(path: string, options: AddOptions = {}): Promise<string[]> {
    const { id } = await identify(path);
    const { fleet, close } = await this.#fleets.use(path, id);
    const added: string[] = [];
    try {
      for (const plan of fleet.names) added.push(this.add(plan, this.#fileSource({ path, plan }, id), options));
      return added;
    } catch (error) {
      await Promise.all(added.map((reference) => this.#takeBack(reference)));
      throw error;
    } finally {
      close();
    }
  }

  /**
   * Synchronizes the registry with a folder of models. `NAME.onnx` and `NAME@VERSION.onnx` are
   * versions of NAME; `*.brezel` files are fleets.
   *
   * Scans the folder now, and then every `intervalMs` milliseconds. If a file cannot be loaded, the
   * event `file` reports the error, and the previous version stays in use.
   *
   * @throws ERR_REGISTRY_FOLDER when the folder cannot be read now.
   * @example
   * const registry = await createRegistry();
   * registry.on('file', ({ file, change, error }) => console.log(change, file, error));
   * await registry.watch(folder);
   * await registry.close();
   */
  async watch(folder: string, options: WatchOptions = {}): Promise<FolderWatch> {
    const watch = new FolderWatch(folder, options, {
      clock: this.#runtime.clock,
      registry: this,
      onnx: (path, identity) => this.#fileSource({ path }, identity),
      addFleet: (path, added) => this.addFleet(path, added),
      tell: (event) => this.tell('file', event),
      closed: () => this.#watches.delete(watch),
    });
    this.#watches.add(watch);
    await watch.start();
    return watch;
  }

  protected override async onClose(drained: Promise<void>): Promise<void> {
    await Promise.all([drained, ...[...this.#watches].map((watch) => watch.close())]);
    await this.#formats.close();
    if (this.#ownsRuntime) await this.#runtime.close();
  }

  async #takeBack(reference: string): Promise<void> {
    const { aliases = [] } = this.model(parseReference(reference).name) ?? {};
    for (const { alias, version } of aliases) if (version === reference) this.removeAlias(alias);
    await this.remove(reference);
  }
}

function sourceOf(source: ModelSource, ofFile: (file: PlanFile) => PlanSource): CompiledPlan | PlanSource {
  if (typeof source === 'string') return ofFile({ path: source });
  if (source instanceof URL) return ofFile({ path: fileURLToPath(source) });
  // the registry reports an error for an invalid source
  if (source === null || typeof source !== 'object') return source;
  if ('path' in source) return ofFile(source);
  if ('fleet' in source) return fleetSource(source);
  return source;
}

function fleetSource({ fleet, plan }: FleetPlan): PlanSource {
  const { prefaulted } = fleet;
  return {
    at: `${fleet.path}, plan "${plan}"`,
    load: () => ({ plan: fleet.plan(plan), ...(prefaulted && { prefaulted }) }),
  };
}
