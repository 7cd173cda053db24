import { applyAt, changed, isTarget, ruleError, targetsOf } from './apply-rule.js';
import type { CompilationContext } from './compilation-context.js';
import { ovenError } from './errors.js';
import type { LogicalPlan } from './logical-plan.js';
import type { Rule, StepName } from './rule.js';
import { RuleBudget } from './rule-budget.js';
import type { SelectedStep } from './select-rules.js';
import { eliminateDeadOutputs } from './steps/3-optimize-stages/eliminate-dead-outputs.js';
import { removeEmptyStages } from './steps/3-optimize-stages/remove-empty-stages.js';

/** One change of a plan by a rule. */
export interface RuleEvent {
  /** The step to which the rule belongs. */
  readonly step: StepName;
  /** The name of the rule. */
  readonly rule: string;
  /** A short description of the rule. */
  readonly summary?: string;
  /** The plan before the change. */
  readonly before: LogicalPlan;
  /** The plan after the change. */
  readonly after: LogicalPlan;
  /** Microseconds that finding, applying and checking the change took. */
  readonly micros: number;
}

/**
 * Returns how many changes a step may make. If a step makes more changes, two rules probably undo
 * each other.
 */
const changesAllowed = (plan: LogicalPlan) => 1000 + 20 * plan.nodes.length;

/** A plan in which a rule finds nothing to change. */
interface Unchanged {
  readonly plan: LogicalPlan;
  /** The number of nodes that the rule examined to find this out. See `RuleBudget`. */
  readonly spent: number;
}

/** Runs one step until none of its rules changes the plan. */
export class StepRun {
  readonly #step: SelectedStep;
  readonly #context: CompilationContext;
  /** The number of changes after which the step stops, for the option `stopAfter`. */
  readonly #limit: number;
  /**
   * Whether Oven stops optional rules of the step when the `RuleBudget` of the compilation is
   * spent.
   */
  readonly #isBudgeted: boolean;
  readonly #observe: ((event: RuleEvent) => void) | undefined;
  readonly #fired: string[] = [];
  readonly #unchanged = new Map<Rule, Unchanged>();

  constructor(
    step: SelectedStep,
    context: CompilationContext,
    stopAfter: number,
    observe: ((event: RuleEvent) => void) | undefined,
  ) {
    this.#step = step;
    this.#context = context;
    this.#limit = step.name === 'optimize-stages' ? stopAfter : Number.POSITIVE_INFINITY;
    this.#isBudgeted = step.name === 'build-stages' || step.name === 'optimize-stages';
    this.#observe = observe;
  }

  get name(): StepName {
    return this.#step.name;
  }

  /**
   * Returns the names of the optional rules that could still change the plan if the budget were not
   * spent. The method tries each rule with a new budget. A rule that spends its new budget also
   * counts as stopped.
   */
  stoppedAt(plan: LogicalPlan): string[] {
    if (!this.#isBudgeted || this.#fired.length >= this.#limit) return [];
    const spent = this.#context.budget;
    const stopped = this.#step.rules.filter((rule) => {
      if (rule.required) return false;
      this.#context.budget = new RuleBudget();
      const changes = (target: number) => {
        try {
          return applyAt(rule, target, plan, this.#context, false) !== undefined;
        } catch (cause) {
          throw ruleError(rule, cause);
        }
      };
      return targetsOf(rule, plan).some(({ id }) => changes(id) || this.#context.budget.isSpent);
    });
    this.#context.budget = spent;
    return stopped.map(({ name }) => name);
  }

  toFixedPoint(plan: LogicalPlan): LogicalPlan {
    const allowed = changesAllowed(plan);
    let current = plan;
    for (let before: number | undefined; before !== this.#fired.length; ) {
      before = this.#fired.length;
      for (const rule of this.#step.rules) {
        current = this.#exhaust(rule, current, allowed);
        if (this.#fired.length >= this.#limit) return removeUnused(current);
      }
    }
    return this.#isStopped ? removeUnused(current) : current;
  }

  get #isStopped(): boolean {
    return this.#isBudgeted && this.#context.budget.isSpent;
  }

  /** Applies a rule until it does not change the plan anymore. */
  #exhaust(rule: Rule, plan: LogicalPlan, allowed: number): LogicalPlan {
    let current = plan;
    for (let before: LogicalPlan | undefined; before !== current; ) {
      if (!rule.required && this.#isStopped) return current;
      before = current;
      current = this.#pass(rule, current, allowed);
    }
    return current;
  }

  /**
   * Applies a rule at each node or stage. If the same rule has already found nothing to change in
   * this plan, the pass is skipped: a rule always does the same for the same plan. A skipped pass
   * still spends the budget of a full pass.
   */
  #pass(rule: Rule, plan: LogicalPlan, allowed: number): LogicalPlan {
    const { budget } = this.#context;
    const known = this.#unchanged.get(rule);
    if (known?.plan === plan) {
      budget.spend(known.spent);
      return plan;
    }
    const before = budget.left;
    const after = this.#changes(rule, plan, allowed);
    const isWhole = this.#fired.length < this.#limit && (rule.required || !this.#isStopped);
    if (after === plan && isWhole) this.#unchanged.set(rule, { plan, spent: before - budget.left });
    return after;
  }

  #changes(rule: Rule, plan: LogicalPlan, allowed: number): LogicalPlan {
    let current = plan;
    for (const target of targetsOf(rule, plan)) {
      let isAccepted = current === plan;
      if (isAccepted && !isTarget(rule, target, plan)) continue;
      while (this.#fired.length < this.#limit) {
        const after = this.#change(rule, target.id, current, isAccepted);
        if (after === undefined) break;
        isAccepted = false;
        current = after;
        if (this.#fired.length > allowed) throw conflictOf(this.#fired, this.#step.name);
      }
    }
    return current;
  }

  /** @param isAccepted whether `isTarget` has accepted the target in this plan */
  #change(rule: Rule, target: number, plan: LogicalPlan, isAccepted: boolean): LogicalPlan | undefined {
    if (!rule.required && this.#isStopped) return undefined;
    const started = this.#observe === undefined ? 0 : performance.now();
    const after = changed(rule, target, plan, this.#context, isAccepted);
    if (after === undefined) return undefined;
    if (this.#isBudgeted && after.nodes !== plan.nodes) this.#context.budget.spend(after.nodes.length);
    this.#fired.push(rule.name);
    this.#report(rule, plan, after, started);
    return after;
  }

  #report(rule: Rule, before: LogicalPlan, after: LogicalPlan, started: number): void {
    if (this.#observe === undefined) return;
    const micros = (performance.now() - started) * 1000;
    const { name, summary } = rule;
    this.#observe({ step: this.#step.name, rule: name, ...(summary && { summary }), before, after, micros });
  }
}

/**
 * Returns the error for rules that undo each other. The error contains the names of the rules that
 * make the last changes again and again.
 */
function conflictOf(fired: readonly string[], step: StepName): Error {
  const tail = fired.slice(-64);
  const repeats = (period: number) => tail.every((name, index) => index < period || name === tail[index - period]);
  let period = 1;
  while (period < tail.length && !repeats(period)) period++;
  return ovenError('ERR_OVEN_RULE', {
    received: [...new Set(tail.slice(-period))].join(' and '),
    at: `step ${step}, after ${fired.length} changes`,
  });
}

/**
 * Removes unused operators and stages from a plan whose optimization was stopped by `stopAfter` or
 * by the budget.
 */
function removeUnused(plan: LogicalPlan): LogicalPlan {
  const live = eliminateDeadOutputs.apply(plan) ?? plan;
  return removeEmptyStages.apply(live) ?? live;
}
