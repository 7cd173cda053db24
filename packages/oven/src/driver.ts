import { type ParameterId, printType, sameType, type ValueType } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { ovenError } from './errors.js';
import { inferType } from './infer.js';
import { type LogicalNode, type LogicalPlan, nodeOf } from './logical-plan.js';
import { type Rule, type RuleContext, type StepName, stepNames } from './rule.js';
import { rules as allRules } from './rules.js';
import { eliminateDeadOutputs } from './steps/3-optimize-stages/eliminate-dead-outputs.js';
import { removeEmptyStages } from './steps/3-optimize-stages/remove-empty-stages.js';

/** How a program is optimized. */
export interface OvenOptions {
  /** Leaves out every rule that regroups a float sum: the plan answers bit for bit as the program does. Default false. */
  readonly exact?: boolean;
  /** Rules to leave out, by name. Stage building and validation cannot be left out. */
  readonly disable?: readonly string[];
  /** More rules, after ours in their step. */
  readonly rules?: readonly Rule[];
  /**
   * Stops optimizing stages after this many changes: bisects to the change that breaks an answer. Default: the environment variable
   * OVEN_STOP_AFTER, else no limit.
   */
  readonly stopAfter?: number;
  /** Called after each rule that changed the plan. */
  readonly observe?: (event: RuleEvent) => void;
}

export interface RuleEvent {
  readonly step: StepName;
  readonly rule: string;
  readonly before: LogicalPlan;
  readonly after: LogicalPlan;
  readonly micros: number;
}

/** A step comes to rest long before this; more means that two rules undo each other. */
const MAX_CHANGES = 10_000;

/** Runs the four steps, each to its fixed point, and checks all types after every change. */
export function optimize(plan: LogicalPlan, context: RuleContext, options: OvenOptions = {}): LogicalPlan {
  const chosen = selectRules(options);
  return stepNames.reduce(
    (current, step) =>
      runStep(
        current,
        step,
        chosen.filter((rule) => rule.step === step),
        context,
        options,
      ),
    plan,
  );
}

function selectRules({ exact = false, disable = [], rules = [] }: OvenOptions): Rule[] {
  const every = [...allRules, ...rules];
  const unknown = disable.find((name) => !every.some((rule) => rule.name === name && rule.step === 'optimize-stages'));
  if (unknown !== undefined) {
    const names = every.filter((rule) => rule.step === 'optimize-stages').map((rule) => rule.name);
    throw ovenError('ERR_OVEN_NAME', { expected: `one of ${names.join(', ')}`, received: unknown, at: 'disable' });
  }
  return every.filter((rule) => !disable.includes(rule.name) && !(exact && !rule.exact));
}

function runStep(
  plan: LogicalPlan,
  step: StepName,
  rules: readonly Rule[],
  context: RuleContext,
  options: OvenOptions,
): LogicalPlan {
  let current = plan;
  const fired: string[] = [];
  const limit = options.stopAfter ?? Number(process.env.OVEN_STOP_AFTER ?? Number.POSITIVE_INFINITY);
  for (let changed = true; changed; ) {
    changed = false;
    for (const rule of rules) {
      while (true) {
        if (step === 'optimize-stages' && fired.length >= limit) return tidy(current);
        const started = performance.now();
        const after = applyOnce(rule, current, context);
        if (after === undefined) break;
        checkTypes(rule, current, after, context);
        options.observe?.({
          step,
          rule: rule.name,
          before: current,
          after,
          micros: (performance.now() - started) * 1000,
        });
        current = after;
        changed = true;
        fired.push(rule.name);
        if (fired.length > MAX_CHANGES) {
          throw ovenError('ERR_OVEN_RULE', {
            received: [...new Set(fired.slice(-20))].join(' and '),
            at: `step ${step}`,
          });
        }
      }
    }
  }
  return current;
}

/** What a rewriting that was stopped half way leaves behind, taken away: every stage must have a purpose. */
function tidy(plan: LogicalPlan): LogicalPlan {
  const live = eliminateDeadOutputs.apply(plan) ?? plan;
  return removeEmptyStages.apply(live) ?? live;
}

/** One change by one rule, at the first node where it applies. */
function applyOnce(rule: Rule, plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined {
  if (rule.order === 'whole-plan') return rule.apply(plan, context);
  const nodes: readonly LogicalNode[] = rule.order === 'top-down' ? plan.nodes : [...plan.nodes].reverse();
  for (const node of nodes) {
    const after = rule.targets(node) ? rule.apply(node, plan, context) : undefined;
    if (after !== undefined) return after;
  }
  return undefined;
}

/** Same outputs of the same types, and every node of the type that its operator computes. Names the rule that broke it. */
function checkTypes(rule: Rule, before: LogicalPlan, after: LogicalPlan, context: RuleContext): void {
  const fail = (expected: ValueType, received: ValueType, at: string) =>
    ovenError('ERR_OVEN_SCHEMA', {
      expected: printType(expected),
      received: printType(received),
      at: `${at}, after rule ${rule.name}`,
    });
  before.outputs.forEach((output, index) => {
    const [was, is] = [nodeOf(before, output.node).type, nodeOf(after, after.outputs[index]!.node).type];
    if (!sameType(was, is)) throw fail(was, is, `output ${output.name}`);
  });
  for (const node of after.nodes) {
    const type = inferType(node, after, context);
    if (!sameType(type, node.type)) throw fail(type, node.type, node.operator?.name ?? node.name!);
  }
}

/** Derived parameters of one compilation: held until it is over, then only by the plan. */
export class CompilationContext implements RuleContext {
  readonly #store: ObjectStore;
  readonly #held: ParameterId[] = [];

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  parameter(id: ParameterId) {
    return this.#store.get(id);
  }

  info(id: ParameterId) {
    return this.#store.info(id);
  }

  derive(
    key: string,
    from: readonly ParameterId[],
    build: () => ReturnType<ObjectStore['get']> | Uint8Array,
  ): ParameterId {
    const id = this.#store.derive(`${key} of ${from.join(' and ')}`, build);
    this.#held.push(id);
    return id;
  }

  release(): void {
    for (const id of this.#held.splice(0)) this.#store.release(id);
  }
}
