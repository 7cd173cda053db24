import { BrezelError, thrower } from '@brezel/core';

/** Whose turn: the plan. */
export class OvenError extends BrezelError {}

export const ovenErrors = {
  ERR_OVEN_SCHEMA: {
    message: 'a rule changed the type of a value',
    hint: 'disable the rule by name, and report it unless it is your own',
  },
  ERR_OVEN_RULE: {
    message: 'the rules of a step do not come to rest',
    hint: 'two rules undo each other: disable one of them',
  },
  ERR_OVEN_RULE_FAILED: {
    message: 'a rule threw, or left a plan that does not hold together',
    hint: 'disable the rule by name, and report it unless it is your own',
  },
  ERR_OVEN_NAME: {
    message: 'a rule or step by a wrong name',
    hint: 'the rules that can be left out are listed in the message',
  },
  ERR_OVEN_PLACEMENT: {
    message: 'a placement of other stages than those of the plan',
    hint: 'place the plan that is handed over, as place: (plan) => placePlan(plan, ...) does',
  },
  ERR_OVEN_MEASUREMENT: {
    message: 'a measurement of another plan',
    hint: 'measure the plan of the same program, compiled with the same options',
  },
  ERR_OVEN_GRAPH: { message: 'the program is not well formed', hint: 'every output must depend on an input' },
} as const;

export const ovenError = thrower(OvenError, ovenErrors);
