import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import {
  type Clock,
  type ErrorDetails,
  type ModelLimits,
  modelLimitNames,
  type NonFiniteChoice,
  type OwnedPlan,
  optionNames,
  type Precision,
} from '@brezel/core';
import { checkTrustedKeys, isFleetFile, type TrustedKey, unsignedModel } from '@brezel/fleet-file';
import type { ObjectStore } from '@brezel/object-store';
import type { OvenOptions } from '@brezel/oven';
import {
  checkRegistryOptions,
  type ModelFormats,
  ModelRegistry,
  type RegistryOptions,
  registryError,
  registryOptionNames,
} from '@brezel/registry';
import type { Runtime } from '@brezel/runtime';
import { openFleet } from './fleet/open-fleet.js';
import { CancellableWork } from './importing/cancellable-work.js';
import { importError } from './importing/errors.js';
import { ImportThreads } from './importing/import-threads.js';
import { checkedModules, type OperatorModules } from './importing/operator-modules.js';
import { sharedThreads } from './importing/shared-threads.js';
import { type FileOptions, importFile } from './model-file.js';
import { checkNativeStore } from './native-store.js';
import { createFlour, createRuntime, type FlourOptions, openStore } from './wire.js';

/** Options of `createRegistry`. */
export interface ModelRegistryOptions extends RegistryOptions {
  /**
   * The runtime that runs the plans. You close this runtime yourself. Default: a new runtime, which
   * the registry closes.
   */
  readonly runtime?: Runtime;
  /**
   * The store of the parameters. Compiled plans must use the same store. Default: the runtime's
   * store, or a new one.
   */
  readonly store?: ObjectStore;
  /**
   * `false` runs plans in JavaScript, as on a machine without the addon. `true` requires the addon,
   * and fails with ERR_NATIVE_MISSING without it. Default: the addon if it loads.
   */
  readonly native?: boolean;
  /** Options for compiling model files: `exact`, `disable` and others. */
  readonly oven?: OvenOptions;
  /**
   * Whether to load model files whose learned numbers contain NaN, or an infinity that has no
   * meaning for the operator. `refuse` (the default) rejects the file. `allow` loads it unchanged.
   * A `PlanFile` may override the option. Plans in fleet files were checked when they were
   * compiled.
   */
  readonly nonFinite?: NonFiniteChoice;
  /**
   * Limits of the import of each model file: `nodes`, `steps` and others. Importers ignore limits
   * that their format does not have. A `PlanFile` may override a limit. Default: the limits of the
   * importers.
   */
  readonly limits?: Partial<ModelLimits>;
  /**
   * Whether to split n-grams in ONNX files into their words. skl2onnx writes each n-gram as one
   * string, which never matches. `importOnnx` has the same option. A `PlanFile` may override the
   * option. Default false.
   */
  readonly repairNgrams?: boolean;
  /**
   * The type in which the programs of scikit-learn files compute. `float32` is faster, above all
   * for texts, and differs in the seventh digit. Other formats ignore the option. A `PlanFile` may
   * override it. Default `float64`.
   */
  readonly precision?: Precision;
  /**
   * Number of worker threads that import and compile model files, 0 to 64. They start with the
   * first model file, and end when they are idle. With 0, the calling thread imports, which blocks
   * its event loop. Default: one thread, which all registries of the process share.
   */
  readonly importThreads?: number;
  /**
   * Maximal JavaScript heap of each import thread in bytes, at least 64 MiB. A model that needs
   * more fails to load with ERR_IMPORT_THREAD, and the process continues. Buffers and typed arrays
   * do not count. Not allowed with `importThreads: 0`. Default: Node's limit, some gigabytes.
   */
  readonly importHeapBytes?: number;
  /**
   * URLs of ES modules that define custom operators: `new URL('./operators.js', import.meta.url)`.
   * Import threads import these modules, so that nodes of custom ONNX domains become these
   * operators. A runtime that the registry creates passes the modules to its worker threads. Import
   * the modules on the calling thread, too: it registers the plans.
   */
  readonly operatorModules?: OperatorModules;
  /**
   * The registry loads only files that were signed with the private key of one of these Ed25519
   * public keys. Model files have no signature, so a registry with trusted keys rejects them. Plans
   * and open fleets that you add yourself are accepted. Default: signatures are not checked.
   */
  readonly trustedKeys?: readonly TrustedKey[];
}

const optionsOfRegistry = optionNames<ModelRegistryOptions>({
  ...(registryOptionNames as Record<keyof RegistryOptions, true>),
  runtime: true,
  store: true,
  native: true,
  oven: true,
  nonFinite: true,
  limits: modelLimitNames,
  repairNgrams: true,
  precision: true,
  importThreads: true,
  importHeapBytes: true,
  operatorModules: true,
  trustedKeys: true,
});

/**
 * Creates a registry of models with names, versions and aliases. Models are loaded on first use,
 * and unloaded when all loaded models together exceed the memory budget.
 *
 * @throws ERR_REGISTRY_OPTION for an option out of range; ERR_NATIVE_MISSING for `native: true`,
 * when the addon cannot be loaded; ERR_FLEET_SIGNATURE for an empty list of trusted keys;
 * ERR_FLEET_KEY.
 * @example
 * const registry = await createRegistry({ memoryBudgetBytes: 512 * 2 ** 20 });
 * registry.add('sentiment', { path: `${folder}/fleet.brezel` }, { version: 1 });
 * await registry.predict('sentiment', 'a good film');
 * await registry.close();
 */
export async function createRegistry(options: ModelRegistryOptions = {}): Promise<ModelRegistry> {
  checkRegistryOptions(options, optionsOfRegistry, 'createRegistry');
  const { native, runtime: given, store: givenStore, ...others } = options;
  const {
    oven,
    nonFinite,
    limits,
    repairNgrams,
    precision,
    trustedKeys,
    importThreads,
    importHeapBytes,
    operatorModules,
    ...rest
  } = others;
  const imports = checkedImports({ oven, importThreads, importHeapBytes, operatorModules });
  if (trustedKeys !== undefined) checkTrustedKeys(trustedKeys);
  const store = givenStore ?? given?.store ?? (await openStore({ native }));
  checkNativeStore(native, store, 'createRegistry');
  const runtime = given ?? createRuntime({ store, native, ...(operatorModules && { operatorModules }) });
  const ownsRuntime = given === undefined;
  try {
    const formats = modelFormats(runtime, imports, { trustedKeys, prefault: rest.warm === true });
    return new ModelRegistry(rest, { runtime, ownsRuntime, formats, nonFinite, limits, repairNgrams, precision });
  } catch (error) {
    if (ownsRuntime) await runtime.close();
    throw error;
  }
}

/**
 * Returns functions that read the model formats of this package. They write parameters into the
 * runtime's store.
 */
function modelFormats(
  { store, clock }: Runtime,
  imports: CheckedImports,
  { trustedKeys, prefault }: { readonly trustedKeys: readonly TrustedKey[] | undefined; readonly prefault: boolean },
): ModelFormats {
  const { oven, threads, modules } = imports;
  const trusted = trustedKeys && { trustedKeys };
  const workers = threads === 0 ? undefined : threadsFor(imports, clock);
  const compiling = new CancellableWork();
  return {
    isFleet: isFleetFile,
    // a snapshot, because other programs may replace files of a watched folder in place
    openFleet: (path) => openFleet(path, { store, mapping: 'snapshot', clock, prefault, ...trusted }),
    importsAtOnce: threads,
    async compile(bytes, { signal, pauseTimeout, ...imports }): Promise<OwnedPlan> {
      if (trusted !== undefined) throw unsignedModel();
      const options = { ...imports, rowByRow: true };
      if (workers === undefined) return compileHere(bytes, options, { ...oven, store });
      const onStart = pauseTimeout?.();
      const request = { bytes, options, oven, modules, store, onStart };
      return compiling.run(signal, (ended) => workers.compile({ ...request, signal: ended }));
    },
    async close() {
      compiling.cancel(importError('ERR_IMPORT_CLOSED'));
      if (workers !== sharedThreads) await workers?.close();
    },
  };
}

const threadsFor = ({ threads, heapBytes, isShared }: CheckedImports, clock: Clock) =>
  isShared ? sharedThreads : new ImportThreads({ threads, heapBytes, clock });

/** Imports and compiles on the calling thread. */
async function compileHere(bytes: Uint8Array, options: FileOptions, flourOptions: FlourOptions): Promise<OwnedPlan> {
  using flour = await createFlour(flourOptions);
  const { program } = importFile(bytes, flour, options);
  await turnOfTheEventLoop(); // both steps are slow, so other work runs in between
  return program.plan();
}

interface CheckedImports {
  readonly oven: OvenOptions;
  readonly threads: number;
  readonly heapBytes: number | undefined;
  /** URLs of the modules that define custom operators. */
  readonly modules: readonly string[];
  /** Whether the registry imports on the thread that all registries of the process share. */
  readonly isShared: boolean;
}

const MAX_THREADS = 64;
/** The smallest allowed heap limit. Brezel alone uses about 20 MiB. */
const LEAST_HEAP_BYTES = 64 * 2 ** 20;

/**
 * Checks the options of imports and adds their defaults.
 * @throws ERR_REGISTRY_OPTION
 */
function checkedImports({
  oven = {},
  importThreads,
  importHeapBytes,
  operatorModules,
}: Pick<ModelRegistryOptions, 'oven' | 'importThreads' | 'importHeapBytes' | 'operatorModules'>): CheckedImports {
  const fail = (expected: string, received: unknown) =>
    registryError('ERR_REGISTRY_OPTION', { expected, received: String(received), at: 'createRegistry' });
  const threads = importThreads ?? 1;
  if (!Number.isInteger(threads) || threads < 0 || threads > MAX_THREADS)
    throw fail(`importThreads, an integer from 0 to ${MAX_THREADS}`, threads);
  if (importHeapBytes !== undefined && !(Number.isSafeInteger(importHeapBytes) && importHeapBytes >= LEAST_HEAP_BYTES))
    throw fail(`importHeapBytes, an integer from ${LEAST_HEAP_BYTES}`, importHeapBytes);
  if (threads === 0 && importHeapBytes !== undefined)
    throw fail('importThreads from 1 on, because importHeapBytes limits threads', 0);
  const local = (['rules', 'observe'] as const).filter((name) => oven[name] !== undefined);
  if (threads > 0 && local.length > 0)
    throw fail('importThreads: 0, because functions stay on their thread', `oven.${local.join(', oven.')}`);
  const isShared = importThreads === undefined && importHeapBytes === undefined;
  const refuse = (details: ErrorDetails) => registryError('ERR_REGISTRY_OPTION', details);
  const modules = checkedModules(operatorModules, refuse, 'createRegistry');
  return { oven, threads, heapBytes: importHeapBytes, modules, isShared };
}
