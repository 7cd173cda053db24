import {
  type CompiledPlan,
  dtypeOf,
  type KernelCall,
  type PhysicalStage,
  type Step,
  type ValueType,
} from '@brezel/core';

/**
 * The smallest part of a plan that runs completely on the device or completely on the CPU: a kernel
 * call with its operators, or a whole stage.
 */
export interface Unit {
  readonly stage: number;
  /** Indices of the unit's operators in the stage. */
  readonly steps: readonly number[];
  /** The kernel calls of the unit. Undefined if the stage runs in JavaScript. */
  readonly calls: readonly KernelCall[] | undefined;
  /** The numbers of the values that this unit reads from plan inputs or other units. */
  readonly reads: readonly number[];
}

/**
 * The operators of a plan as one graph, without the borders of stages. Values have numbers: first
 * the plan's inputs, then the results of all operators, stage by stage. Each unit comes after the
 * units whose results it reads.
 */
export class PlanGraph {
  readonly plan: CompiledPlan;
  readonly units: readonly Unit[];
  readonly #types: ValueType[];
  readonly #firstOf: number[] = [];
  /** For each slot of the plan, the number of its value. */
  readonly #values: number[];

  /**
   * Builds the graph of a plan.
   *
   * @param whole returns whether a stage must not be split.
   */
  constructor(plan: CompiledPlan, whole: (stage: number) => boolean) {
    this.plan = plan;
    this.#types = plan.inputs.map(({ type }) => type);
    this.#values = plan.inputs.map((_, slot) => slot);
    this.units = plan.stages.flatMap(({ stage, outputs }, index) => {
      this.#firstOf[index] = this.#types.length;
      this.#types.push(...stage.steps.map(({ type }) => type));
      outputs.forEach((slot, output) => {
        this.#values[slot] = this.valueOf(index, stage.outputs[output]!);
      });
      const parts = whole(index) ? [wholeStage(stage)] : unitsOf(stage);
      return parts.map((part) => ({ ...part, stage: index, reads: this.#readsOf(index, part.steps) }));
    });
  }

  /** Returns the number of the value in a slot of a stage. */
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

  /** Returns the number of the value that an operator of a stage computes. */
  valueOfStep(stage: number, step: number): number {
    return this.#firstOf[stage]! + step;
  }

  stepsOf({ stage, steps }: Pick<Unit, 'stage' | 'steps'>): Step[] {
    return steps.map((step) => this.plan.stages[stage]!.stage.steps[step]!);
  }

  /** Returns the types of the inputs of an operator. */
  inputTypes(stage: number, { inputs }: Step): ValueType[] {
    return inputs.map((slot) => this.typeOf(this.valueOf(stage, slot)));
  }

  /**
   * Returns whether a cut may separate the operator that computes a value from the operators that
   * read it. Tokens, dictionaries and texts must stay in one stage. A text may be a label, and only
   * the stage that looks up the label can read it.
   */
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

const wholeStage = ({ steps, calls }: PhysicalStage): Part => ({ steps: steps.map((_, index) => index), calls });

/**
 * Returns one unit for each kernel call of a stage. Returns the whole stage as a unit if some
 * operator belongs to no call or to several calls.
 */
function unitsOf(stage: PhysicalStage): Part[] {
  const { steps, calls } = stage;
  const covered = (calls ?? []).flatMap((call) => call.steps);
  const isCut = covered.length === steps.length && new Set(covered).size === steps.length;
  return isCut ? calls!.map((call) => ({ steps: call.steps, calls: [call] })) : [wholeStage(stage)];
}
