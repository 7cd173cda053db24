import { ovenError } from './errors.js';
import { type Rule, type StepName, stepNames } from './rule.js';
import { rules as ownRules } from './rules.js';

/** Which rules a program goes through, and in which steps. */
export interface RuleSelection {
  /** Leaves out every rule that regroups a float sum: the plan answers bit for bit as the program does. Default false. */
  readonly exact?: boolean;
  /** Rules to leave out, by name. Those without which there is no plan (checks, the first cut into stages) cannot be left out. */
  readonly disable?: readonly string[];
  /** More rules, after ours in their step. */
  readonly rules?: readonly Rule[];
  /** Steps in order: ours in our order, and others between them for `rules` of that step. Default: the paper's four. */
  readonly steps?: readonly StepName[];
}

export interface SelectedStep {
  readonly name: StepName;
  readonly rules: readonly Rule[];
}

/**
 * The steps with the rules chosen for each.
 *
 * @throws ERR_OVEN_NAME for a rule or a step that does not exist, exists twice or cannot be left out.
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
    hint: 'put your step between ours',
  });
}

function checkRules(every: readonly Rule[], steps: readonly StepName[], disable: readonly string[]): void {
  const names = every.map((rule) => rule.name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw ovenError('ERR_OVEN_NAME', { expected: 'a name that is free', received: twice, at: 'rules' });
  const stray = every.find((rule) => !steps.includes(rule.step));
  if (stray !== undefined) {
    throw ovenError('ERR_OVEN_NAME', {
      expected: `a step out of ${steps.join(', ')}`,
      received: stray.step,
      at: `rule ${stray.name}`,
    });
  }
  const optional = every.filter((rule) => !rule.required).map((rule) => rule.name);
  const unknown = disable.find((name) => !optional.includes(name));
  if (unknown !== undefined)
    throw ovenError('ERR_OVEN_NAME', { expected: `one of ${optional.join(', ')}`, received: unknown, at: 'disable' });
}
