import type {
  CompiledPlan,
  ParameterId,
  ParameterValue,
  PhysicalStage,
  PlanLoweringOptions,
  PlannedStage,
  StageShare,
} from '@brezel/core';
import { crossoverRows } from '../choose-device.js';
import { LoweringError } from '../errors.js';
import { type LoweredStage, type LowerOptions, lowerStage } from '../lower-stage.js';
import { deviceCost } from './device-cost.js';
import { makersOf, type Part, partsOf } from './parts.js';
import { PlanGraph, type Unit } from './plan-graph.js';
import { rebuilt } from './rebuild.js';
import { verdictsOf } from './verdicts.js';

export interface CutOptions extends LowerOptions, Required<PlanLoweringOptions> {}

/** A plan whose stages run as a whole, either on the device or on the CPU. */
export interface CutPlan {
  readonly plan: CompiledPlan;
  /** For each stage its form for the device, or the reason why it stays on the CPU. */
  readonly lowered: readonly (LoweredStage | string)[];
  /** For each stage the operators that it takes from stages of the original plan. */
  readonly shares: readonly (readonly StageShare[])[];
}

type Parameters = (id: ParameterId) => ParameterValue;

/**
 * Divides a plan into stages for a device and stages for the CPU. Adjacent supported operators
 * become one stage, even if they were in different stages. A stage with unsupported operators is
 * split only if the device can be faster for some number of rows.
 *
 * Cost: the cost of `lowerStage` for all stages.
 */
export function cutPlan(plan: CompiledPlan, parameters: Parameters, options: CutOptions): CutPlan {
  const attempt = new Attempt(plan, parameters, options);
  for (;;) {
    const cut = attempt.cut();
    if (cut !== undefined) return cut;
  }
}

/**
 * One attempt to divide a plan. If a check fails, the attempt forbids some splits or merges, and
 * the caller tries again.
 */
class Attempt {
  readonly #plan: CompiledPlan;
  readonly #parameters: Parameters;
  readonly #options: CutOptions;
  /** The stages that must not be split. `#apart` holds the stages that must not be merged. */
  readonly #whole: Set<number>;
  readonly #apart: Set<number>;
  /** Units that stay on the CPU although their operators are supported, with the reasons. */
  readonly #reasons = new Map<string, string>();
  readonly #forms = new Map<string, LoweredStage | string>();

  constructor(plan: CompiledPlan, parameters: Parameters, options: CutOptions) {
    this.#plan = plan;
    this.#parameters = parameters;
    this.#options = options;
    this.#whole = new Set(options.keepStages ? plan.stages.keys() : []);
    this.#apart = new Set(this.#whole);
  }

  /** Returns the divided plan, or undefined if a check failed and the caller must try again. */
  cut(): CutPlan | undefined {
    const graph = new PlanGraph(this.#plan, (stage) => this.#whole.has(stage));
    const verdicts = verdictsOf(graph, this.#parameters, this.#options.mayJump).map(
      (why, index) => why ?? this.#reasons.get(nameOf(graph.units[index]!)),
    );
    const onDevice = verdicts.map((why) => why === undefined);
    const parts = partsOf(graph, onDevice, (stage) => this.#apart.has(stage));
    if (this.#keepWhole(tornStages(graph, parts))) return undefined;
    const plan = rebuilt(graph, parts, this.#parameters);
    const lowered = parts.map(({ units, isOnDevice }, index) =>
      isOnDevice ? this.#formOf(plan.stages[index]!.stage) : verdicts[units.find((unit) => !onDevice[unit])!]!,
    );
    const suits = parts.map(
      (part, index) => !part.isOnDevice || this.#suits(graph, part, plan.stages[index]!, lowered[index]!),
    );
    return suits.every(Boolean)
      ? { plan, lowered, shares: parts.map(({ units }) => sharesOf(graph, units)) }
      : undefined;
  }

  #keepWhole(stages: readonly number[]): boolean {
    for (const stage of stages) this.#whole.add(stage);
    return stages.length > 0;
  }

  #formOf(stage: PhysicalStage): LoweredStage | string {
    const form = this.#forms.get(stage.key) ?? lowerOrWhy(stage, this.#parameters, this.#options);
    this.#forms.set(stage.key, form);
    return form;
  }

  /**
   * Returns whether a part can run on the device. If the part is not faster there, the next attempt
   * does not merge it with other stages. If it is still not faster, a later attempt does not split
   * its stage.
   */
  #suits(graph: PlanGraph, { units }: Part, { marks }: PlannedStage, form: LoweredStage | string): boolean {
    const members = units.map((unit) => graph.units[unit]!);
    if (typeof form === 'string') {
      const large = members.filter((unit) => graph.stepsOf(unit).some(({ operator }) => operator === FOREST));
      return !this.#stay(large, form);
    }
    const { profile, maxBatch, isAsked } = this.#options;
    const fromRows = crossoverRows(deviceCost(marks, form), profile);
    const stages = new Set(members.map(({ stage }) => stage));
    if (stages.size > 1) return isAsked || fromRows <= maxBatch || !this.#keepApart(stages);
    const steps = members.reduce((sum, unit) => sum + unit.steps.length, 0);
    const isWhole = steps === this.#plan.stages[members[0]!.stage]!.stage.steps.length;
    return isWhole || fromRows <= maxBatch || !this.#stay(members, tooFew(fromRows, maxBatch));
  }

  /** Forbids merging these stages. Returns false if merging all of them was already forbidden. */
  #keepApart(stages: ReadonlySet<number>): boolean {
    const before = this.#apart.size;
    for (const stage of stages) this.#apart.add(stage);
    return this.#apart.size > before;
  }

  /** Puts units on the CPU. Returns false if all of them were already on the CPU. */
  #stay(units: readonly Unit[], why: string): boolean {
    const news = units.filter((unit) => !this.#reasons.has(nameOf(unit)));
    for (const unit of news) this.#reasons.set(nameOf(unit), why);
    return news.length > 0;
  }
}

const tooFew = (fromRows: number, maxBatch: number): string =>
  fromRows === Number.POSITIVE_INFINITY
    ? 'the device is never faster'
    : `faster from ${fromRows} rows, but calls have at most ${maxBatch}`;

/** The only operator whose lowered form can be too large. */
const FOREST = 'tree-ensemble';

const nameOf = ({ stage, steps }: Unit): string => `${stage}: ${steps}`;

/**
 * Returns the stages that must not be split, because a part would need a value that its stage does
 * not output.
 */
function tornStages(graph: PlanGraph, parts: readonly Part[]): number[] {
  const partOf = new Map(parts.flatMap(({ units }, index) => units.map((unit) => [unit, index] as const)));
  const makers = makersOf(graph);
  const torn = graph.units.flatMap(({ stage, reads }, index) =>
    reads.some((value) => {
      const maker = makers.get(value);
      const isInside =
        maker === undefined || graph.units[maker]!.stage !== stage || partOf.get(maker) === partOf.get(index);
      return !isInside && !graph.mayCross(value);
    })
      ? [stage]
      : [],
  );
  return [...new Set(torn)];
}

function sharesOf(graph: PlanGraph, units: readonly number[]): StageShare[] {
  const steps = new Map<number, number[]>();
  for (const unit of units) {
    const member = graph.units[unit]!;
    steps.set(member.stage, [...(steps.get(member.stage) ?? []), ...member.steps]);
  }
  return [...steps].map(([stage, places]) => ({ stage, steps: places }));
}

/** Returns the lowered stage, or the reason if a forest would become too large. */
function lowerOrWhy(stage: PhysicalStage, parameters: Parameters, options: LowerOptions): LoweredStage | string {
  try {
    return lowerStage(stage, parameters, options);
  } catch (error) {
    if (error instanceof LoweringError && error.code === 'ERR_LOWERING_LIMIT') return error.message;
    throw error;
  }
}
