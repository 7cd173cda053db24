import { thrower } from '@brezel/core';
import { FleetError } from '@brezel/fleet-file';

export const fleetErrors = {
  ERR_FLEET_NAME: {
    message: 'the plans of a fleet need distinct names',
    hint: 'rename the models, or name each member: packFleet([{ plan, name }], ...), brezel pack NAME=PATH',
  },
  ERR_FLEET_STAGE: {
    message: 'a stage of a fleet file does not match its operators',
    hint: 'the file was written by another version of Brezel, or it was changed: pack the models again',
  },
  ERR_FLEET_LABELS: {
    message: 'the labels of an output differ from the table in the fleet file',
    hint: 'the file was changed after it was packed: pack the models again',
  },
  ERR_FLEET_GOLDEN: {
    message: 'malformed golden row',
    hint: 'the file was changed after it was packed: pack the models again',
  },
  ERR_FLEET_OPERATOR: {
    message: 'a fleet needs an operator that is not defined here',
    hint: 'import the module that defines it (defineOperator) before the file is opened; for the command line: NODE_OPTIONS="--import ./operators.js"',
  },
  ERR_FLEET_REFERENCE: {
    message: 'this process has no definition of an operator',
    hint: "brezel/serve loads no definitions for files that the addon runs: also import 'brezel' to use engine: 'reference'",
  },
} as const;

export const fleetError = thrower(FleetError, fleetErrors);
