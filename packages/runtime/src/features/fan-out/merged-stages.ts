import { type CompiledPlan, InternalError, type OutputPort, type PlannedStage } from '@brezel/core';
import type { CatalogStage } from '../../plans/catalog.js';
import type { PlanRecord } from '../../plans/plan-record.js';

/** Several plans merged into one: their common stages run once. */
export interface MergedStages {
  readonly compiled: CompiledPlan;
  /** The stages, which the plans own. A merged plan owns none. */
  readonly stages: readonly CatalogStage[];
  /** The plans of each stage. */
  readonly users: readonly ReadonlySet<PlanRecord>[];
}

/**
 * Merges plans with equal inputs. Equal stages over equal values become one stage. Outputs follow
 * plan after plan, in order.
 */
export function mergePlans(name: string, plans: readonly PlanRecord[]): MergedStages {
  const [first] = plans;
  if (first === undefined) throw new InternalError('no plans to merge');
  const merger = new Merger(first.inputs.length);
  const outputs = plans.flatMap((plan) => merger.add(plan));
  const { planned, stages, users, parameters } = merger;
  const around = Math.max(...plans.map(({ compiled }) => compiled.nanosPerRow - stageNanos(compiled.stages)));
  return {
    stages,
    users,
    compiled: {
      version: first.compiled.version,
      name,
      inputs: first.inputs,
      outputs,
      stages: planned,
      parameters: [...parameters],
      width: plans.reduce((sum, { width }) => sum + width, 0),
      nanosPerRow: around + stageNanos(planned),
    },
  };
}

const stageNanos = (stages: readonly PlannedStage[]): number =>
  stages.reduce((sum, { marks }) => sum + marks.nanosPerRow, 0);

/** The merged stages so far. */
class Merger {
  readonly planned: PlannedStage[] = [];
  readonly stages: CatalogStage[] = [];
  readonly users: Set<PlanRecord>[] = [];
  readonly parameters = new Set<string>();
  readonly #inputs: number;
  /** Index in `planned`, by the stage and its inputs. */
  readonly #known = new Map<string, number>();
  #slots: number;
  #width = 0;

  constructor(inputs: number) {
    this.#inputs = inputs;
    this.#slots = inputs;
  }

  /** Adds a plan. @returns its outputs with their merged slots. */
  add(plan: PlanRecord): OutputPort[] {
    const { compiled, stages, width } = plan;
    const slots = new Map(Array.from({ length: this.#inputs }, (_, slot) => [slot, slot]));
    compiled.stages.forEach((one, at) => {
      const inputs = one.inputs.map((slot) => slots.get(slot)!);
      const place = this.#place(one, inputs, stages[at]!);
      this.users[place]!.add(plan);
      const { outputs } = this.planned[place]!;
      one.outputs.forEach((slot, output) => void slots.set(slot, outputs[output]!));
    });
    for (const id of compiled.parameters) this.parameters.add(id);
    const offset = this.#width;
    this.#width += width;
    return compiled.outputs.map((port) => ({ ...port, slot: slots.get(port.slot)!, offset: offset + port.offset }));
  }

  #place(one: PlannedStage, inputs: readonly number[], held: CatalogStage): number {
    const key = `${one.stage.key} ${inputs}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const outputs = one.outputs.map(() => this.#slots++);
    this.#known.set(key, this.planned.length);
    this.stages.push(held);
    this.users.push(new Set());
    return this.planned.push({ ...one, inputs, outputs }) - 1;
  }
}
