import { BrezelError, thrower } from '@brezel/core';

/**
 * An error in the packed plans, the fleet file, its keys or the cache of snapshots. The caller can
 * fix it.
 */
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
  ERR_FLEET_SIGNATURE: {
    message: 'a fleet file has no signature of a trusted key',
    hint: 'sign the file with `brezel pack --sign KEY.pem`, and pass the public key of KEY.pem as trusted key',
  },
  ERR_FLEET_KEY: {
    message: 'a key cannot be used for signatures of fleet files',
    hint: 'signatures need Ed25519 keys in PEM files: openssl genpkey -algorithm ed25519 -out KEY.pem; openssl pkey -in KEY.pem -pubout -out PUB.pem',
  },
} as const;

export const fleetFileError = thrower(FleetError, fleetFileErrors);
