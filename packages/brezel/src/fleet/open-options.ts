import { checkOptionNames, type OptionNames, optionNames } from '@brezel/core';
import { fleetFileError, type SourceOptions } from '@brezel/fleet-file';
import type { ObjectStore } from '@brezel/object-store';

// In a separate file, because brezel/serve opens files without loading definitions of operators.

/** Options of `openFleet`. */
export interface OpenOptions extends SourceOptions {
  /** The store that receives the parameters. Default: a new one, `fleet.store`. */
  readonly store?: ObjectStore;
  /**
   * True compares every byte of the file with its checksums, and checks every plan as if it were
   * compiled now. Default true.
   *
   * With false, opening reads only the header and the manifest. A plan is checked when it is taken.
   * A stage that runs in the addon is checked only when JavaScript runs it. Memory stays safe, but
   * parameter values and stage keys are not verified. Use false for files that were verified before
   * (`brezel verify`).
   */
  readonly verify?: boolean;
}

/** The names of the options of `openFleet`. */
export const openOptionNames = optionNames<OpenOptions>({
  store: true,
  verify: true,
  prefault: true,
  mapping: true,
  trustedKeys: true,
  clock: true,
});

/**
 * Checks the names of options.
 * @throws ERR_FLEET_OPTION for an unknown option, with the nearest name.
 */
export const checkFleetOptions = (options: unknown, names: OptionNames, at: string): void =>
  checkOptionNames(options, names, (details) => fleetFileError('ERR_FLEET_OPTION', details), at);
