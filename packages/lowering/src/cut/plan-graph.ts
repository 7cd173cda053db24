import {
  type CompiledPlan,
  dtypeOf,
  type KernelCall,
  type PhysicalStage,
  type Step,
  type ValueType,
} from '@brezel/core';

/** A kernel call with the operators it stands for, or a stage that is not cut: what goes to a device, or stays, as one. */
export interface Unit {
  readonly stage: number;
  /** Places of its operators in the stage. */
  readonly steps: readonly number[];
  /** Undefined where the stage runs in JavaScript. */
  readonly calls: readonly KernelCall[] | undefined;
  /** Values that come from elsewhere. */
  readonly reads: readonly number[];
}

/**
 * The operators of a plan, whatever stages they are in. A value is a number: the plan's inputs, then what each operator gives, stage after stage.
 * Units are in an order in which each follows those it reads.
 */
export class PlanGraph {
  readonly plan: CompiledPlan;
  readonly units: readonly Unit[];
  readonly #types: ValueType[];
  readonly #firstOf: number[] = [];
  /** Slot of the plan → value. */
  readonly #values: number[];

  /** @param whole stages that are not cut. */
  constructor(plan: CompiledPlan, whole: (stage: number) => boolean) {
    this.plan = plan;
    this.#types = plan.inputs.map(({ type }) => type);
    this.#values = plan.inputs.map((_, slot) => slot);
    this.units = plan.stages.flatMap(({ stage, outputs }, at) => {
      this.#firstOf[at] = this.#types.length;
      this.#types.push(...stage.steps.map(({ type }) => type));
      outputs.forEach((slot, place) => {
        this.#values[slot] = this.valueOf(at, stage.outputs[place]!);
      });
      const parts = whole(at) ? [wholeStage(stage)] : unitsOf(stage);
      return parts.map((part) => ({ ...part, stage: at, reads: this.#readsOf(at, part.steps) }));
    });
  }

  /** The value in a slot of a stage. */
  valueOf(stage: number, slot: number): number {
    const { stage: physical, inputs } = this.plan.stages[stage]!;
    const before = physical.inputs.length;
    return slot < before ? this.#values[inputs[slot]!]! : this.#firstOf[stage]! + slot - before;
  }

  valueOfPlanSlot(slot: number): number {
    return this.#values[slot]!;
  }

  typeOf(value: number): ValueType {
    return this.#types[value]!;
  }

  /** What an operator of a stage gives. */
  valueOfStep(stage: number, step: number): number {
    return this.#firstOf[stage]! + step;
  }

  stepsOf({ stage, steps }: Pick<Unit, 'stage' | 'steps'>): Step[] {
    return steps.map((step) => this.plan.stages[stage]!.stage.steps[step]!);
  }

  /** Types of what an operator of a stage reads. */
  inputTypes(stage: number, { inputs }: Step): ValueType[] {
    return inputs.map((slot) => this.typeOf(this.valueOf(stage, slot)));
  }

  /** Whether a value may lie between stages: tokens never do, and labels belong to the kernel that looked them up. */
  mayCross(value: number): boolean {
    const type = this.typeOf(value);
    if (value < this.plan.inputs.length || type.kind === 'sparse') return true;
    return type.kind !== 'tokens' && type.kind !== 'dictionary' && dtypeOf(type) !== 'string';
  }

  #readsOf(stage: number, steps: readonly number[]): number[] {
    const own = new Set(steps.map((step) => this.valueOfStep(stage, step)));
    const read = this.stepsOf({ stage, steps }).flatMap(({ inputs }) =>
      inputs.map((slot) => this.valueOf(stage, slot)),
    );
    return [...new Set(read)].filter((value) => !own.has(value));
  }
}

type Part = Pick<Unit, 'steps' | 'calls'>;

const wholeStage = ({ steps, calls }: PhysicalStage): Part => ({ steps: steps.map((_, at) => at), calls });

/** A unit a call, where each operator belongs to one call. */
function unitsOf(stage: PhysicalStage): Part[] {
  const { steps, calls } = stage;
  const covered = (calls ?? []).flatMap((call) => call.steps);
  const isCut = covered.length === steps.length && new Set(covered).size === steps.length;
  return isCut ? calls!.map((call) => ({ steps: call.steps, calls: [call] })) : [wholeStage(stage)];
}
