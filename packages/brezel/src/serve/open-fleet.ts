import { FleetFile } from '@brezel/fleet-file';
import { Fleet } from '../fleet/fleet.js';
import type { OpenOptions } from '../fleet/open-fleet.js';
import { deferStage } from '../fleet/unchecked-stages.js';
import { openStore } from '../native-store.js';
import { createRuntime } from './create-runtime.js';

/**
 * As `openFleet` of `brezel`. With `verify: false`, and where the addon runs every stage of the file, it loads no operator: the addon checks sizes and
 * values by itself when plans are registered. Otherwise the definitions of operators are loaded here, and everything is checked as always.
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

/** A file that does not hold together is told so by who opens it next. */
function runsInAddon(file: FleetFile): boolean {
  try {
    return file.runsInAddon;
  } catch {
    return false;
  }
}
