import { FleetFile } from '@brezel/fleet-file';
import { Fleet } from '../fleet/fleet.js';
import { checkFleetOptions, type OpenOptions, openOptionNames } from '../fleet/open-options.js';
import { deferStage } from '../fleet/unchecked-stages.js';
import { openStore } from '../native-store.js';
import { createRuntime } from './create-runtime.js';

/**
 * Opens a fleet file as `openFleet` of `brezel` does, but loads the definitions of operators only
 * if they are needed.
 *
 * With `verify: false`, if every stage of the file runs in the addon, no definitions are loaded.
 * The addon checks sizes and values when plans are registered. In all other cases, this function
 * loads the definitions and does what `openFleet` of `brezel` does.
 *
 * @throws the errors of `openFleet` of `brezel`.
 * @example
 * const fleet = await openFleet(`${folder}/fleet.brezel`, { verify: false });
 * const runtime = createRuntime({ store: fleet.store });
 * fleet.close();
 */
export async function openFleet(path: string, options: OpenOptions = {}): Promise<Fleet> {
  checkFleetOptions(options, openOptionNames, 'openFleet');
  const { store = await openStore(), verify = true, ...source } = options;
  if (!verify && store.memory.kind === 'native') {
    const file = await FleetFile.open(path, store, {
      ...source,
      verify,
      deferStage: (stage) => deferStage(stage, store),
    });
    if (runsInAddon(file)) return new Fleet(file, store, { createRuntime });
    file.close();
  }
  const whole = await import('../fleet/open-fleet.js');
  return whole.openFleet(path, { ...options, store });
}

/**
 * Returns whether every stage of the file runs in the addon. Returns false for an inconsistent
 * file: `openFleet` of `brezel` then reports the error.
 */
function runsInAddon(file: FleetFile): boolean {
  try {
    return file.runsInAddon;
  } catch {
    return false;
  }
}
