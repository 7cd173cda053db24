import { FleetFile } from '@brezel/fleet-file';
import { Fleet } from '../fleet/fleet.js';
import type { OpenOptions } from '../fleet/open-fleet.js';
import { deferStage } from '../fleet/unchecked-stages.js';
import { openStore } from '../native-store.js';
import { createRuntime } from './create-runtime.js';

/**
 * Opens a fleet file like `openFleet` of `brezel`, and avoids loading the definitions of operators.
 *
 * With `verify: false`, and if every stage of the file runs in the addon, no definition is loaded:
 * the addon checks sizes and values when plans are registered. Otherwise the definitions are loaded
 * and everything is checked.
 *
 * @throws as `openFleet` of `brezel`
 * @example
 * const fleet = await openFleet(`${folder}/fleet.brezel`, { verify: false });
 * const runtime = createRuntime({ store: fleet.store });
 * fleet.close();
 */
export async function openFleet(path: string, options: OpenOptions = {}): Promise<Fleet> {
  const { store = await openStore(), verify = true, prefault = false } = options;
  if (!verify && store.memory.kind === 'native') {
    const file = await FleetFile.open(path, store, {
      verify,
      prefault,
      deferStage: (stage) => deferStage(stage, store),
    });
    if (runsInAddon(file)) return new Fleet(file, store, { createRuntime });
    file.close();
  }
  const whole = await import('../fleet/open-fleet.js');
  return whole.openFleet(path, { ...options, store });
}

/** Returns false for an inconsistent file; opening it fully then reports the error. */
function runsInAddon(file: FleetFile): boolean {
  try {
    return file.runsInAddon;
  } catch {
    return false;
  }
}
