import { FleetFile } from '@brezel/fleet-file';
import type { ObjectStore } from '@brezel/object-store';
import { createRuntime, openStore } from '../wire.js';
import { LabelCheck } from './check-labels.js';
import { checkStage, checkValues, withKey } from './check-stage.js';
import { Fleet } from './fleet.js';
import { deferStage } from './unchecked-stages.js';

export interface OpenOptions {
  /** Where the parameters are to live; default: a store of its own, `fleet.store`. */
  readonly store?: ObjectStore;
  /**
   * Checks every byte of the file against its checksums, and every plan as if it were compiled anew. Default true. False, for a file that was
   * verified before (`brezel verify`): opening reads the header and the manifest alone, and checks plans when they are taken (operators of stages that
   * the addon runs: when JavaScript is to run them); memory stays safe, but parameters and the keys of stages are taken as they are.
   */
  readonly verify?: boolean;
  /** Reads the whole file now, so that first predictions find it in memory. Default false. */
  readonly prefault?: boolean;
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
  const isTrusted = !verify && store.memory.kind === 'native';
  const file = await FleetFile.open(path, store, {
    verify,
    prefault,
    checkStage,
    checkPlan: (plan, form, parameters) => labels.check(plan, form, parameters),
    ...(isTrusted && { deferStage: (stage) => deferStage(stage, store) }),
    ...(verify && { identify: (stage) => withKey(stage, store) }),
  });
  return new Fleet(file, store, { createRuntime, ...(!isTrusted && { checkValues }) });
}
