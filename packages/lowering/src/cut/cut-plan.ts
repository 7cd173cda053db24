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

/** A plan in stages of which each is a device's as a whole, or the CPU's. */
export interface CutPlan {
  readonly plan: CompiledPlan;
  /** Of each of its stages its form for the device, or why it stays on the CPU. */
  readonly lowered: readonly (LoweredStage | string)[];
  /** Of each of its stages what it has of those that were given. */
  readonly shares: readonly (readonly StageShare[])[];
}

type Parameters = (id: ParameterId) => ParameterValue;

/**
 * Cuts a plan for a device: neighbouring operators that have a form as tensors become one stage, also across stages; stages in which others stand
 * between them fall into parts, where the device will ever be sooner. Cost: as `lowerStage`, for all of them.
 */
export function cutPlan(plan: CompiledPlan, parameters: Parameters, options: CutOptions): CutPlan {
  const attempt = new Attempt(plan, parameters, options);
  for (;;) {
    const cut = attempt.cut();
    if (cut !== undefined) return cut;
  }
}

/** What was found out about a plan so far; each time something does not suit, less is cut or joined. */
class Attempt {
  readonly #plan: CompiledPlan;
  readonly #parameters: Parameters;
  readonly #options: CutOptions;
  /** Stages that are not cut, and stages that are not joined. */
  readonly #whole: Set<number>;
  readonly #apart: Set<number>;
  /** Units that stay on the CPU for other reasons than their operators. */
  readonly #reasons = new Map<string, string>();
  readonly #forms = new Map<string, LoweredStage | string>();

  constructor(plan: CompiledPlan, parameters: Parameters, options: CutOptions) {
    this.#plan = plan;
    this.#parameters = parameters;
    this.#options = options;
    this.#whole = new Set(options.keepStages ? plan.stages.keys() : []);
    this.#apart = new Set(this.#whole);
  }

  /** Undefined: try again. */
  cut(): CutPlan | undefined {
    const graph = new PlanGraph(this.#plan, (stage) => this.#whole.has(stage));
    const verdicts = verdictsOf(graph, this.#parameters, this.#options.mayJump).map(
      (why, at) => why ?? this.#reasons.get(nameOf(graph.units[at]!)),
    );
    const onDevice = verdicts.map((why) => why === undefined);
    const parts = partsOf(graph, onDevice, (stage) => this.#apart.has(stage));
    if (this.#keepWhole(tornStages(graph, parts))) return undefined;
    const plan = rebuilt(graph, parts, this.#parameters);
    const lowered = parts.map(({ units, isOnDevice }, at) =>
      isOnDevice ? this.#formOf(plan.stages[at]!.stage) : verdicts[units.find((unit) => !onDevice[unit])!]!,
    );
    const suits = parts.map((part, at) => !part.isOnDevice || this.#suits(graph, part, plan.stages[at]!, lowered[at]!));
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

  /** Whether a part may go to the device as it is; what does not pay is joined with nothing, and then not cut out. */
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

  /** Whether that is news. */
  #keepApart(stages: ReadonlySet<number>): boolean {
    const before = this.#apart.size;
    for (const stage of stages) this.#apart.add(stage);
    return this.#apart.size > before;
  }

  /** Whether that is news. */
  #stay(units: readonly Unit[], why: string): boolean {
    const news = units.filter((unit) => !this.#reasons.has(nameOf(unit)));
    for (const unit of news) this.#reasons.set(nameOf(unit), why);
    return news.length > 0;
  }
}

const tooFew = (fromRows: number, maxBatch: number): string =>
  fromRows === Number.POSITIVE_INFINITY
    ? 'the device is never sooner'
    : `it pays from ${fromRows} rows on, and calls have ${maxBatch}`;

/** The one operator whose form may be too large. */
const FOREST = 'tree-ensemble';

const nameOf = ({ stage, steps }: Unit): string => `${stage}: ${steps}`;

/** Stages in parts between which something would lie that no stage gives. */
function tornStages(graph: PlanGraph, parts: readonly Part[]): number[] {
  const partOf = new Map(parts.flatMap(({ units }, at) => units.map((unit) => [unit, at] as const)));
  const makers = makersOf(graph);
  const torn = graph.units.flatMap(({ stage, reads }, at) =>
    reads.some((value) => {
      const maker = makers.get(value);
      const isInside =
        maker === undefined || graph.units[maker]!.stage !== stage || partOf.get(maker) === partOf.get(at);
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
    const one = graph.units[unit]!;
    steps.set(one.stage, [...(steps.get(one.stage) ?? []), ...one.steps]);
  }
  return [...steps].map(([stage, places]) => ({ stage, steps: places }));
}

/** A forest that would be too large stays where it is, and says so. */
function lowerOrWhy(stage: PhysicalStage, parameters: Parameters, options: LowerOptions): LoweredStage | string {
  try {
    return lowerStage(stage, parameters, options);
  } catch (fault) {
    if (fault instanceof LoweringError && fault.code === 'ERR_LOWERING_LIMIT') return fault.message;
    throw fault;
  }
}
