import type { LogicalPlan, LogicalStage } from '../../logical-plan.js';
import { redirectAll } from '../../plan-changes.js';
import { nodesOfStage } from '../../plan-index.js';
import { rule } from '../../rule.js';
import { stageOrder } from '../../stage-order.js';

/**
 * Runs equal stages once. Stages are equal if they have the same operators, attributes, parameters
 * and inputs in the same order.
 *
 * Unlike `eliminate-common-branches`, this rule also merges operators that return texts and tokens,
 * because it merges a whole stage: the operators that read these values are merged too.
 */
export const mergeEqualStages = rule({
  name: 'merge-equal-stages',
  summary: 'runs equal stages once',
  step: 'optimize-stages',
  over: 'plan',
  exact: true,
  apply(plan, { budget }) {
    const first = new Map<string, LogicalStage>();
    for (const stage of plan.stages) {
      if (nodesOfStage(plan, stage.id).length === 0) continue; // remove-empty-stages removes it
      const name = nameOf(stage, plan);
      const known = first.get(name);
      const merged = known && merge(plan, known, stage);
      if (merged !== undefined) return merged;
      if (known !== undefined) budget?.spend(plan.nodes.length);
      if (budget?.isSpent) return undefined;
      first.set(name, known ?? stage);
    }
    return undefined;
  },
});

/**
 * Returns a plan in which `stage` replaces the equal stage `twin`. Returns undefined if a node
 * would then come before its inputs.
 */
function merge(plan: LogicalPlan, stage: LogicalStage, twin: LogicalStage): LogicalPlan | undefined {
  const [remaining, dropped] = [nodesOfStage(plan, stage.id), nodesOfStage(plan, twin.id)];
  const without: LogicalPlan = {
    ...plan,
    nodes: plan.nodes.filter((node) => node.stage !== twin.id),
    stages: plan.stages.filter((other) => other !== twin),
  };
  const merged = redirectAll(without, new Map(dropped.map(({ id }, index) => [id, remaining[index]!.id])));
  return inOrder(merged) && stageOrder(merged) !== undefined ? merged : undefined;
}

/**
 * Returns a text that is equal for two stages if they run the same operators on the same values.
 */
function nameOf(stage: LogicalStage, plan: LogicalPlan): string {
  const nodes = nodesOfStage(plan, stage.id);
  const own = new Map(nodes.map((node, index) => [node.id, index]));
  const uses = nodes.map(({ operator, attributes, parameters, inputs }) => [
    operator!.name,
    operator!.version,
    attributes,
    Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1)),
    inputs.map((input) => (own.has(input) ? `own ${own.get(input)}` : input)),
  ]);
  return JSON.stringify([stage.role, uses]);
}

/** Returns whether every node comes after its inputs. */
function inOrder(plan: LogicalPlan): boolean {
  const seen = new Set<number>();
  for (const node of plan.nodes) {
    if (!node.inputs.every((input) => seen.has(input))) return false;
    seen.add(node.id);
  }
  return true;
}
