import { BrezelError, thrower } from '@brezel/core';

/** The packed plans, the fleet file or the cache of snapshots must be fixed. */
export class FleetError extends BrezelError {}

export const fleetFileErrors = {
  ERR_FLEET_OPTION: {
    message: 'invalid option for a fleet file',
    hint: 'see OpenOptions of openFleet and PackOptions of packFleet',
  },
  ERR_FLEET_CHANGED: {
    message: 'a fleet file changed while it was read',
    hint: 'open it again when the writer is done; writers should replace the file by rename, as packFleet does',
  },
  ERR_FLEET_SNAPSHOT: {
    message: 'a fleet file cannot be copied to the cache folder',
    hint: 'free disk space, or set XDG_CACHE_HOME to a folder on a local disk that only you can write; if writers replace the file by rename, openFleet(path, { mapping: "file" }) needs no copy',
  },
} as const;

export const fleetFileError = thrower(FleetError, fleetFileErrors);
