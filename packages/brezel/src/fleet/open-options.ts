import { checkOptionNames, type OptionNames, optionNames } from '@brezel/core';
import { fleetFileError, type SourceOptions } from '@brezel/fleet-file';
import type { ObjectStore } from '@brezel/object-store';

// In a separate file, because brezel/serve opens files without loading definitions of operators.

/** Options of `openFleet`. */
export interface OpenOptions extends SourceOptions {
  /** The store that receives the parameters. Default: a new one, `fleet.store`. */
  readonly store?: ObjectStore;
  /**
   * True compares the checksums of the whole file, and checks every plan as the compiler checks a
   * new plan. Default true.
   *
   * With false, opening reads only the header and the manifest. A plan is checked when
   * `fleet.plan(name)` returns it. Stages that run in the addon are checked later, and only if
   * JavaScript runs them. A damaged file cannot make the addon read outside its memory, but wrong
   * numbers and wrong stage keys stay undetected. Use false for files that were verified before
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
 * @throws ERR_FLEET_OPTION for an unknown option. The error suggests the known option with the most
 * similar name.
 */
export const checkFleetOptions = (options: unknown, names: OptionNames, at: string): void =>
  checkOptionNames(options, names, (details) => fleetFileError('ERR_FLEET_OPTION', details), at);
