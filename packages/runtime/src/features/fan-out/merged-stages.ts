import { type CompiledPlan, InternalError, type OutputPort, type PlannedStage } from '@brezel/core';
import type { CatalogStage } from '../../plans/catalog.js';
import type { PlanRecord } from '../../plans/plan-record.js';

/** Several plans that are merged into one, so that their common stages run once. */
export interface MergedStages {
  readonly compiled: CompiledPlan;
  /** The stages of the merged plan. The original plans own these stages. */
  readonly stages: readonly CatalogStage[];
  /** For each stage, the plans that use it. */
  readonly users: readonly ReadonlySet<PlanRecord>[];
}

/**
 * Merges plans with equal inputs. Equal stages that read equal values become one stage. The outputs
 * of the plans follow one another, in the order of the plans.
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

/** Collects the stages of a merged plan. */
class Merger {
  readonly planned: PlannedStage[] = [];
  readonly stages: CatalogStage[] = [];
  readonly users: Set<PlanRecord>[] = [];
  readonly parameters = new Set<string>();
  readonly #inputs: number;
  /**
   * The index in `planned` of each stage. The key of an entry consists of the stage and the values
   * that it reads.
   */
  readonly #known = new Map<string, number>();
  #slots: number;
  #width = 0;

  constructor(inputs: number) {
    this.#inputs = inputs;
    this.#slots = inputs;
  }

  /** Adds the stages of a plan. Returns the plan's outputs with their slots in the merged plan. */
  add(plan: PlanRecord): OutputPort[] {
    const { compiled, stages, width } = plan;
    const slots = new Map(Array.from({ length: this.#inputs }, (_, slot) => [slot, slot]));
    compiled.stages.forEach((planStage, at) => {
      const inputs = planStage.inputs.map((slot) => slots.get(slot)!);
      const index = this.#place(planStage, inputs, stages[at]!);
      this.users[index]!.add(plan);
      const { outputs } = this.planned[index]!;
      planStage.outputs.forEach((slot, output) => void slots.set(slot, outputs[output]!));
    });
    for (const id of compiled.parameters) this.parameters.add(id);
    const offset = this.#width;
    this.#width += width;
    return compiled.outputs.map((port) => ({ ...port, slot: slots.get(port.slot)!, offset: offset + port.offset }));
  }

  #place(planStage: PlannedStage, inputs: readonly number[], held: CatalogStage): number {
    const key = `${planStage.stage.key} ${inputs}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const outputs = planStage.outputs.map(() => this.#slots++);
    this.#known.set(key, this.planned.length);
    this.stages.push(held);
    this.users.push(new Set());
    return this.planned.push({ ...planStage, inputs, outputs }) - 1;
  }
}
