import type { LogicalPlan, LogicalStage } from './logical-plan.js';
import { nodesById, oncePer } from './plan-index.js';

/** For each stage, the other stages whose results it reads. */
const producersByStage = oncePer('nodes', (plan): ReadonlyMap<number, ReadonlySet<number>> => {
  const byId = nodesById(plan);
  const producers = new Map<number, Set<number>>();
  for (const { stage, inputs } of plan.nodes) {
    if (stage === undefined) continue;
    for (let at = 0; at < inputs.length; at++) {
      const other = byId.get(inputs[at]!)!.stage;
      if (other === undefined || other === stage) continue;
      const known = producers.get(stage);
      if (known === undefined) producers.set(stage, new Set([other]));
      else known.add(other);
    }
  }
  return producers;
});

const NONE: ReadonlySet<number> = new Set();

/** Returns the other stages whose results a stage reads. */
export function producersOf(plan: LogicalPlan, stage: number): ReadonlySet<number> {
  return producersByStage(plan).get(stage) ?? NONE;
}

/**
 * Returns the stages in execution order: each stage comes after the stages whose results it reads.
 * Where several orders are possible, keeps the order of the list `plan.stages`. Returns undefined
 * if the stages form a cycle.
 *
 * The order is defined by repeated passes over the list: a pass takes each stage whose producers
 * are already taken. The function does not run the passes, because a list in reverse order would
 * need as many passes as it has stages. Instead it computes, for each stage, the number of the pass
 * that takes it.
 */
export function stageOrder(plan: LogicalPlan): LogicalStage[] | undefined {
  const positions = new Map(plan.stages.map(({ id }, position) => [id, position]));
  const waitsFor: number[] = [];
  const readers: number[][] = plan.stages.map(() => []);
  for (const [position, { id }] of plan.stages.entries()) {
    const producers = producersOf(plan, id);
    waitsFor.push(producers.size);
    for (const producer of producers) {
      const from = positions.get(producer);
      if (from === undefined) return undefined;
      readers[from]!.push(position);
    }
  }
  const passes = new Array<number>(plan.stages.length).fill(0);
  const ready = [...waitsFor.keys()].filter((position) => waitsFor[position] === 0);
  for (const position of ready) {
    for (const reader of readers[position]!) {
      const pass = passes[position]! + (position < reader ? 0 : 1);
      passes[reader] = Math.max(passes[reader]!, pass);
      if (--waitsFor[reader]! === 0) ready.push(reader);
    }
  }
  if (ready.length < plan.stages.length) return undefined;
  const order = [...passes.keys()].sort((a, b) => passes[a]! - passes[b]! || a - b);
  return order.map((position) => plan.stages[position]!);
}
