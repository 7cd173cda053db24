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
  ERR_FLEET_LABELS: {
    message: 'labels of an output in a fleet file are not those that its plan looks up',
    hint: 'the file was changed after it was packed: pack the models again',
  },
  ERR_FLEET_GOLDEN: {
    message: 'a golden row that is no row',
    hint: 'the file was changed after it was packed: pack the models again',
  },
  ERR_FLEET_OPERATOR: {
    message: 'a fleet needs an operator that is not defined here',
    hint: 'import the module that defines it (defineOperator) before the file is opened; for the command line: NODE_OPTIONS="--import ./operators.js"',
  },
  ERR_FLEET_REFERENCE: {
    message: 'this process has no definition of an operator',
    hint: "brezel/serve loads none for files that the addon runs: import 'brezel' beside it for engine: 'reference'",
  },
} as const;

export const fleetError = thrower(FleetError, fleetErrors);
