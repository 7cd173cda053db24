import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { type NonFiniteChoice, type OwnedPlan, optionNames } from '@brezel/core';
import { checkTrustedKeys, isFleetFile, type TrustedKey, unsignedModel } from '@brezel/fleet-file';
import type { ObjectStore } from '@brezel/object-store';
import type { OvenOptions } from '@brezel/oven';
import {
  checkRegistryOptions,
  type ModelFormats,
  ModelRegistry,
  type RegistryOptions,
  registryOptionNames,
} from '@brezel/registry';
import type { Runtime } from '@brezel/runtime';
import { openFleet } from './fleet/open-fleet.js';
import { importFile } from './model-file.js';
import { checkNativeStore } from './native-store.js';
import { createFlour, createRuntime, openStore } from './wire.js';

/** Options of `createRegistry`. */
export interface ModelRegistryOptions extends RegistryOptions {
  /**
   * The runtime of the plans. It stays open when the registry closes. Default: a new runtime, which
   * closes with the registry.
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
   * Accepts only files that one of these Ed25519 public keys signed. Model files have no signature,
   * so a registry with trusted keys rejects them. Plans and open fleets that you add yourself are
   * accepted. Default: signatures are not checked.
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
  trustedKeys: true,
});

/**
 * Creates a registry of models with names, versions and aliases. Models are loaded on first use,
 * and unloaded when they exceed the memory budget.
 *
 * @throws ERR_REGISTRY_OPTION for an option out of range; ERR_FLEET_SIGNATURE for an empty list of
 * trusted keys; ERR_FLEET_KEY.
 * @example
 * const registry = await createRegistry({ memoryBudgetBytes: 512 * 2 ** 20 });
 * registry.add('sentiment', { path: `${folder}/fleet.brezel` }, { version: 1 });
 * await registry.predict('sentiment', 'a good film');
 * await registry.close();
 */
export async function createRegistry(options: ModelRegistryOptions = {}): Promise<ModelRegistry> {
  checkRegistryOptions(options, optionsOfRegistry, 'createRegistry');
  const { native, oven = {}, nonFinite = 'refuse', trustedKeys, runtime: given, store: givenStore, ...rest } = options;
  if (trustedKeys !== undefined) checkTrustedKeys(trustedKeys);
  const store = givenStore ?? given?.store ?? (await openStore({ native }));
  checkNativeStore(native, store, 'createRegistry');
  const runtime = given ?? createRuntime({ store, native });
  const ownsRuntime = given === undefined;
  try {
    const formats = modelFormats(runtime, oven, trustedKeys);
    return new ModelRegistry(rest, { runtime, ownsRuntime, formats, nonFinite });
  } catch (error) {
    if (ownsRuntime) await runtime.close();
    throw error;
  }
}

/** Returns the formats that this package reads. Parameters go to the runtime's store. */
function modelFormats(
  { store, clock }: Runtime,
  oven: OvenOptions,
  trustedKeys: readonly TrustedKey[] | undefined,
): ModelFormats {
  const trusted = trustedKeys && { trustedKeys };
  return {
    isFleet: isFleetFile,
    // a snapshot, because other programs may replace files of a watched folder in place
    openFleet: (path) => openFleet(path, { store, mapping: 'snapshot', clock, ...trusted }),
    async compile(bytes, nonFinite): Promise<OwnedPlan> {
      if (trusted !== undefined) throw unsignedModel();
      using flour = await createFlour({ ...oven, store });
      const { program } = importFile(bytes, flour, { nonFinite, rowByRow: true });
      await turnOfTheEventLoop(); // both steps are slow, so other work runs in between
      return program.plan();
    },
  };
}
