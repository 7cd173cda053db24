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

/**
 * A plan after its stages were cut for a device: each stage runs either completely on the device or
 * completely on the CPU.
 */
export interface CutPlan {
  readonly plan: CompiledPlan;
  /**
   * For each stage of the plan, its form for the device, or the reason why the stage runs on the
   * CPU.
   */
  readonly lowered: readonly (LoweredStage | string)[];
  /**
   * For each stage of the plan, the operators that it runs, grouped by their stage in the original
   * plan.
   */
  readonly shares: readonly (readonly StageShare[])[];
}

type Parameters = (id: ParameterId) => ParameterValue;

/**
 * Divides a plan into stages for a device and stages for the CPU. Adjacent supported operators
 * become one stage, even if they were in different stages. A stage with unsupported operators is
 * split only if the device can be faster for a call of at most `maxBatch` rows.
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
 * Divides a plan. Each call of `cut` is one attempt. If a part must not run on the device, `cut`
 * changes the rules for the next attempt, and the caller calls `cut` again. The new rules forbid
 * some splits or merges of stages, or keep some operators on the CPU.
 */
class Attempt {
  readonly #plan: CompiledPlan;
  readonly #parameters: Parameters;
  readonly #options: CutOptions;
  /**
   * The stages that must not be split, by index. `#apart` contains the stages that must not be
   * merged with others.
   */
  readonly #whole: Set<number>;
  readonly #apart: Set<number>;
  /** For each unit that the device supports but that stays on the CPU, the reason why it stays. */
  readonly #reasons = new Map<string, string>();
  readonly #forms = new Map<string, LoweredStage | string>();

  constructor(plan: CompiledPlan, parameters: Parameters, options: CutOptions) {
    this.#plan = plan;
    this.#parameters = parameters;
    this.#options = options;
    this.#whole = new Set(options.keepStages ? plan.stages.keys() : []);
    this.#apart = new Set(this.#whole);
  }

  /** Returns the divided plan. Returns undefined if a check failed; the caller then tries again. */
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
   * Returns whether a part may keep its device. If not, changes the rules of the next attempt. If
   * the part comes from several stages, these stages are not merged again. If it comes from one
   * stage, its operators stay on the CPU. If a forest of the part would become too large, the
   * forest stays on the CPU.
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

  /**
   * Forbids merging these stages with others. Returns false if this was already forbidden for all
   * of them.
   */
  #keepApart(stages: ReadonlySet<number>): boolean {
    const before = this.#apart.size;
    for (const stage of stages) this.#apart.add(stage);
    return this.#apart.size > before;
  }

  /**
   * Moves units to the CPU for the given reason. Returns false if all units were already on the
   * CPU.
   */
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

/** Only forests can become too large in their lowered form. */
const FOREST = 'tree-ensemble';

const nameOf = ({ stage, steps }: Unit): string => `${stage}: ${steps}`;

/**
 * Returns the stages that must not be split as `parts` splits them. In such a stage, one part reads
 * a value from another part, but values of this type cannot leave a stage (`mayCross`).
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

/**
 * Returns the lowered form of a stage. If a forest would become too large, returns this reason as a
 * text.
 */
function lowerOrWhy(stage: PhysicalStage, parameters: Parameters, options: LowerOptions): LoweredStage | string {
  try {
    return lowerStage(stage, parameters, options);
  } catch (error) {
    if (error instanceof LoweringError && error.code === 'ERR_LOWERING_LIMIT') return error.message;
    throw error;
  }
}
