import { BrezelError } from '@brezel/core';
import { checkTypes } from './check-types.js';
import { ovenError } from './errors.js';
import { feedsThresholds, findNode, type LogicalPlan, type LogicalStage } from './logical-plan.js';
import type { Rule, RuleContext, StepName } from './rule.js';
import { type RuleSelection, type SelectedStep, selectRules } from './select-rules.js';
import { eliminateDeadOutputs } from './steps/3-optimize-stages/eliminate-dead-outputs.js';
import { removeEmptyStages } from './steps/3-optimize-stages/remove-empty-stages.js';

/** Options of Oven: how it optimizes and compiles a program. */
export interface OvenOptions extends RuleSelection {
  /**
   * After this many changes, Oven stops optimizing stages. Use it to find the change that breaks an
   * answer, with a binary search over this number. Default: the environment variable
   * OVEN_STOP_AFTER, otherwise no limit.
   */
  readonly stopAfter?: number;
  /**
   * Instruction set of the machine that will run the plan (`baseline`, `avx2`, `avx512`). The
   * choice of some kernels depends on the instruction set, but answers do not.
   */
  readonly isa?: string | undefined;
  /** Called after each change that a rule makes to the plan. */
  readonly observe?: (event: RuleEvent) => void;
}

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
 * The largest number of nodes in all plans that rules return, in the steps that build and optimize
 * stages. A change copies the nodes of the plan, so without a limit the time to compile grows with
 * the square of the number of nodes. The limit is twelve times what any model of the test corpus
 * needs (5433 nodes).
 */
const MOST_CHANGED_NODES = 2 ** 16;

/** Counts the nodes in the plans that rules return. */
class ChangedNodes {
  #left = MOST_CHANGED_NODES;

  get areSpent(): boolean {
    return this.#left < 0;
  }

  take(before: LogicalPlan, after: LogicalPlan): void {
    if (after.nodes !== before.nodes) this.#left -= after.nodes.length;
  }
}

/**
 * Returns how many changes a step may make. If a step makes more changes, two rules probably undo
 * each other.
 */
const changesAllowed = (plan: LogicalPlan) => 1000 + 20 * plan.nodes.length;

/**
 * Runs each step until none of its rules changes the plan, and checks all types after every change.
 *
 * Steps that build stages and steps that optimize them alternate until neither changes the plan.
 * This is necessary because folding an operator can make two stages adjacent, so that they can be
 * merged. In a very long program, only required rules continue to change the plan (see
 * `MOST_CHANGED_NODES`). The plan is then correct, but slower.
 */
export function optimize(plan: LogicalPlan, context: RuleContext, options: OvenOptions = {}): LogicalPlan {
  const stopAfter = options.stopAfter ?? Number(process.env.OVEN_STOP_AFTER ?? Number.POSITIVE_INFINITY);
  const changed = new ChangedNodes();
  const runs = selectRules(options).map((step) => {
    const limit = step.name === 'optimize-stages' ? stopAfter : Number.POSITIVE_INFINITY;
    const isLimited = step.name === 'build-stages' || step.name === 'optimize-stages';
    return new StepRun(step, context, limit, isLimited ? changed : undefined, options.observe);
  });
  const [build, optimized] = (['build-stages', 'optimize-stages'] as const).map((name) =>
    runs.findIndex((run) => run.name === name),
  ) as [number, number];
  const through = (from: number, to: number, start: LogicalPlan) =>
    runs.slice(from, to).reduce((current, run) => run.toFixedPoint(current), start);
  let current = through(0, build, plan);
  for (let before: LogicalPlan | undefined; before !== current; ) {
    before = current;
    current = through(build, optimized + 1, current);
  }
  return through(optimized + 1, runs.length, current);
}

/** Runs one step until none of its rules changes the plan. */
class StepRun {
  readonly #step: SelectedStep;
  readonly #context: RuleContext;
  readonly #limit: number;
  readonly #changed: ChangedNodes | undefined;
  readonly #observe: OvenOptions['observe'];
  readonly #fired: string[] = [];

  constructor(
    step: SelectedStep,
    context: RuleContext,
    limit: number,
    changed: ChangedNodes | undefined,
    observe: OvenOptions['observe'],
  ) {
    this.#step = step;
    this.#context = context;
    this.#limit = limit;
    this.#changed = changed;
    this.#observe = observe;
  }

  get name(): StepName {
    return this.#step.name;
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
    return this.#changed?.areSpent ? removeUnused(current) : current;
  }

  /** Applies a rule until it does not change the plan anymore. */
  #exhaust(rule: Rule, plan: LogicalPlan, allowed: number): LogicalPlan {
    let current = plan;
    for (let changed = true; changed; ) {
      changed = false;
      for (const target of targetsOf(rule, current)) {
        while (this.#fired.length < this.#limit) {
          const after = this.#change(rule, target, current);
          if (after === undefined) break;
          current = after;
          changed = true;
          if (this.#fired.length > allowed) throw conflictOf(this.#fired, this.#step.name);
        }
      }
    }
    return current;
  }

  #change(rule: Rule, target: number, plan: LogicalPlan): LogicalPlan | undefined {
    if (!rule.required && this.#changed?.areSpent) return undefined;
    const started = performance.now();
    const after = withRuleName(rule, () => {
      const changed = applyAt(rule, target, plan, this.#context);
      if (changed !== undefined) checkTypes(rule, plan, changed, this.#context);
      return changed;
    });
    if (after === undefined) return undefined;
    this.#changed?.take(plan, after);
    this.#fired.push(rule.name);
    const micros = (performance.now() - started) * 1000;
    const { name, summary } = rule;
    this.#observe?.({ step: this.#step.name, rule: name, ...(summary && { summary }), before: plan, after, micros });
    return after;
  }
}

/**
 * Returns the ids of the nodes or stages to which a rule is applied, in the order that the rule
 * requests. Nodes and stages that the rule adds come in the next round.
 */
function targetsOf(rule: Rule, plan: LogicalPlan): readonly number[] {
  if (rule.over === 'plan') return [0];
  const ids = (rule.over === 'nodes' ? plan.nodes : plan.stages).map(({ id }) => id);
  return rule.order === 'top-down' ? ids : ids.reverse();
}

function applyAt(rule: Rule, target: number, plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined {
  if (rule.over === 'plan') return rule.apply(plan, context);
  if (rule.over === 'nodes') {
    const node = findNode(plan, target);
    if (node === undefined || !rule.targets(node)) return undefined;
    return rule.exact || !feedsThresholds(plan, target) ? rule.apply(node, plan, context) : undefined;
  }
  const stage = stageWithId(plan, target);
  return stage !== undefined && rule.targets(stage, plan) ? rule.apply(stage, plan, context) : undefined;
}

/**
 * Returns the stage with an id, or undefined if a rule has removed it. Ids usually ascend, so the
 * search starts at the position that the id would have without gaps.
 */
function stageWithId({ stages }: LogicalPlan, id: number): LogicalStage | undefined {
  for (let at = Math.min(id, stages.length - 1); at >= 0 && stages[at]!.id >= id; at--)
    if (stages[at]!.id === id) return stages[at];
  return stages.find((stage) => stage.id === id);
}

/**
 * Calls a function of a rule, and adds the name of the rule to its errors. Custom rules may throw
 * any error or return an inconsistent plan.
 *
 * @throws ERR_OVEN_RULE_FAILED
 */
function withRuleName<T>(rule: Rule, change: () => T): T {
  try {
    return change();
  } catch (cause) {
    if (cause instanceof BrezelError) throw cause;
    const received = cause instanceof Error ? cause.message : String(cause);
    throw ovenError('ERR_OVEN_RULE_FAILED', { received, at: `rule ${rule.name}`, cause });
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
 * Removes unused operators and stages from a plan after `stopAfter` has stopped its optimization.
 */
function removeUnused(plan: LogicalPlan): LogicalPlan {
  const live = eliminateDeadOutputs.apply(plan) ?? plan;
  return removeEmptyStages.apply(live) ?? live;
}
