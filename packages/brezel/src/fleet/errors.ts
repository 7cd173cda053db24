import { BrezelError, thrower } from '@brezel/core';

/** Whose turn: whoever packs or opens a fleet. */
export class FleetError extends BrezelError {}

export const fleetErrors = {
  ERR_FLEET_NAME: {
    message: 'the plans of a fleet need names of their own',
    hint: 'rename the models, or give each member a name of its own: packFleet([{ plan, name }], ...)',
  },
  ERR_FLEET_STAGE: {
    message: 'a stage of a fleet file is not what its operators make of it',
    hint: 'the file was written by another version, or changed: pack the models again',
  },
} as const;

export const fleetError = thrower(FleetError, fleetErrors);
