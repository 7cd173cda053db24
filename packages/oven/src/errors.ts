import { BrezelError, thrower } from '@brezel/core';

/**
 * The class of Oven's errors. The caller can fix them, for example by disabling a rule or by
 * correcting the program.
 */
export class OvenError extends BrezelError {}

/** The message and hint of each error code of Oven. */
export const ovenErrors = {
  ERR_OVEN_SCHEMA: {
    message: 'a rule changed the type of a value',
    hint: 'disable the rule by name; if it is a rule of Brezel, please report it',
  },
  ERR_OVEN_RULE: {
    message: 'the rules of a step never stop changing the plan',
    hint: 'two rules undo each other: disable one of them',
  },
  ERR_OVEN_RULE_FAILED: {
    message: 'a rule threw, or returned an inconsistent plan',
    hint: 'disable the rule by name; if it is a rule of Brezel, please report it',
  },
  ERR_OVEN_NAME: {
    message: 'unknown or duplicate name of a rule or step',
    hint: 'see the valid names in the message',
  },
  ERR_OVEN_PLACEMENT: {
    message: 'the placement does not match the stages of the plan',
    hint: 'compute the placement from the plan that `place` receives: place: (plan) => placePlan(plan, ...)',
  },
  ERR_OVEN_MEASUREMENT: {
    message: 'the measurement belongs to another plan',
    hint: 'measure the plan of the same program, compiled with the same options',
  },
  ERR_OVEN_LIMIT: {
    message: 'the program has too many operators',
    hint: 'if you trust the model, compile it with a greater maxOperators',
  },
  ERR_OVEN_GRAPH: { message: 'the program is invalid', hint: 'every output must depend on an input' },
} as const;

/** Creates an `OvenError` with a code of `ovenErrors`. */
export const ovenError = thrower(OvenError, ovenErrors);
