import { FleetFile } from '@brezel/fleet-file';
import { createRuntime, openStore } from '../wire.js';
import { LabelCheck } from './check-labels.js';
import { checkStage, checkValues, withKey } from './check-stage.js';
import { comparePlans } from './compare-plans.js';
import { Fleet } from './fleet.js';
import { IntegerLabels } from './integer-labels.js';
import { checkFleetOptions, type OpenOptions, openOptionNames } from './open-options.js';
import { deferStage } from './unchecked-stages.js';

/**
 * Opens a fleet file that `packFleet` or `brezel pack` wrote.
 *
 * Replace an open file only by rename, as `packFleet` does. A file that is overwritten or truncated
 * in place gives wrong answers or ends the process. If other programs may do that, pass `mapping:
 * 'snapshot'`.
 *
 * The file is mapped read-only. All threads and processes that open the file share its memory. It
 * stays mapped while a plan or a runtime needs it.
 *
 * Cost: with `verify: false`, proportional to the size of the manifest; otherwise to the size of
 * the file. A snapshot also computes SHA-256 of the file.
 *
 * @throws ERR_STORE_FILE, ERR_STORE_FORMAT, ERR_STORE_VERSION, ERR_STORE_DAMAGED, ERR_FLEET_STAGE,
 * ERR_FLEET_LABELS, ERR_FLEET_OPTION; with a snapshot also ERR_FLEET_CHANGED, ERR_FLEET_SNAPSHOT;
 * with `trustedKeys` also ERR_FLEET_SIGNATURE, ERR_FLEET_KEY. After an error nothing is mapped or
 * stored.
 * @example
 * const fleet = await openFleet(`${folder}/fleet.brezel`);
 * const runtime = createRuntime({ store: fleet.store });
 * for (const name of fleet.names) {
 *   const plan = fleet.plan(name);
 *   runtime.register(plan);
 *   plan.release(); // the runtime holds its own references
 * }
 * fleet.close();
 */
export async function openFleet(path: string, options: OpenOptions = {}): Promise<Fleet> {
  checkFleetOptions(options, openOptionNames, 'openFleet');
  const { store = await openStore(), verify = true, ...source } = options;
  const labels = new LabelCheck(verify);
  const integers = new IntegerLabels();
  const isTrusted = !verify && store.memory.kind === 'native';
  const file = await FleetFile.open(path, store, {
    ...source,
    verify,
    checkStage,
    checkPlan(decoded, parameters) {
      labels.check(decoded.plan, decoded.form, parameters);
      return integers.addTo(decoded, parameters);
    },
    ...(isTrusted && { deferStage: (stage) => deferStage(stage, store) }),
    ...(verify && { identify: (stage) => withKey(stage, store) }),
  });
  if (!verify) return new Fleet(file, store, { createRuntime, ...(!isTrusted && { checkValues }) });
  try {
    await comparePlans(file, store);
  } catch (error) {
    file.close();
    throw error;
  }
  return new Fleet(file, store, { createRuntime });
}
