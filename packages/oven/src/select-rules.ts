import { ovenError } from './errors.js';
import { type Rule, type StepName, stepNames } from './rule.js';
import { rules as ownRules } from './rules.js';

/** Options that select the rules and steps for a program. */
export interface RuleSelection {
  /**
   * If true, Oven disables every rule that may change the last bits of an answer. The plan then
   * returns the same bits as the program. Default false.
   */
  readonly exact?: boolean;
  /**
   * Names of rules to disable. Required rules (checks, and the first division into stages) cannot
   * be disabled.
   */
  readonly disable?: readonly string[];
  /** Additional rules. Each rule runs after Brezel's rules in the same step. */
  readonly rules?: readonly Rule[];
  /**
   * The steps in order: Brezel's four steps in their order, and other steps between them for
   * additional rules. Default: Brezel's four steps.
   */
  readonly steps?: readonly StepName[];
}

export interface SelectedStep {
  readonly name: StepName;
  readonly rules: readonly Rule[];
}

/**
 * Returns the steps with their selected rules.
 *
 * @throws ERR_OVEN_NAME for an unknown or repeated name of a rule or step, and for a required rule
 * in `disable`.
 */
export function selectRules(selection: RuleSelection): SelectedStep[] {
  const { exact = false, disable = [], rules = [], steps = stepNames } = selection;
  const every = [...ownRules, ...rules];
  checkSteps(steps);
  checkRules(every, steps, disable);
  const chosen = every.filter((rule) => !disable.includes(rule.name) && !(exact && !rule.exact));
  return steps.map((name) => ({ name, rules: chosen.filter((rule) => rule.step === name) }));
}

function checkSteps(steps: readonly StepName[]): void {
  const own = steps.filter((step) => (stepNames as readonly string[]).includes(step));
  if (new Set(steps).size === steps.length && own.join() === stepNames.join()) return;
  throw ovenError('ERR_OVEN_NAME', {
    expected: `each step once, among them ${stepNames.join(', ')} in this order`,
    received: steps.join(', '),
    at: 'steps',
    hint: 'insert your step between the steps of Brezel',
  });
}

function checkRules(every: readonly Rule[], steps: readonly StepName[], disable: readonly string[]): void {
  const names = every.map((rule) => rule.name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined)
    throw ovenError('ERR_OVEN_NAME', { expected: 'an unused name', received: duplicate, at: 'rules' });
  const stray = every.find((rule) => !steps.includes(rule.step));
  if (stray !== undefined) {
    throw ovenError('ERR_OVEN_NAME', {
      expected: `one of the steps ${steps.join(', ')}`,
      received: stray.step,
      at: `rule ${stray.name}`,
    });
  }
  const optional = every.filter((rule) => !rule.required).map((rule) => rule.name);
  const unknown = disable.find((name) => !optional.includes(name));
  if (unknown !== undefined)
    throw ovenError('ERR_OVEN_NAME', { expected: `one of ${optional.join(', ')}`, received: unknown, at: 'disable' });
}
