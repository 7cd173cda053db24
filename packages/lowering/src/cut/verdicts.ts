import { dtypeOf, type ParameterId, type ParameterValue, printType } from '@brezel/core';
import { isDense, whyNotLowered, whyStepStays } from '../lower-stage.js';
import { lowerings } from '../operators/index.js';
import type { PlanGraph, Unit } from './plan-graph.js';

/** Why a decision over what is not exact keeps what it reads where it is. */
export const JUMPS = 'a decision reads what is not exact there';

type Parameters = (id: ParameterId) => ParameterValue;

/** Of each unit why it stays on the CPU; undefined where a device may take it. */
export function verdictsOf(graph: PlanGraph, parameters: Parameters, mayJump: boolean): (string | undefined)[] {
  const verdicts = graph.units.map((unit) => whyUnitStays(graph, unit, parameters));
  if (mayJump) return verdicts;
  const decisive = decisiveValues(graph);
  return verdicts.map((why, at) => why ?? (spoils(graph, graph.units[at]!, decisive) ? JUMPS : undefined));
}

function whyUnitStays(graph: PlanGraph, unit: Unit, parameters: Parameters): string | undefined {
  const { stage, steps } = unit;
  const physical = graph.plan.stages[stage]!.stage;
  if (steps.length === physical.steps.length) return whyNotLowered(physical, parameters);
  for (const step of graph.stepsOf(unit)) {
    const types = graph.inputTypes(stage, step);
    const other = types.find((type) => !isDense(type, 'float32'));
    if (other !== undefined) return `reads ${printType(other)}`;
    const why = whyStepStays(step, types, parameters);
    if (why !== undefined) return why;
    if (!isDense(step.type, 'float32', 'int64')) return `gives ${printType(step.type)}`;
  }
  return undefined;
}

/**
 * Values on which a decision rests, near or far, on whatever it runs: if they are a little different, quite another answer may come out. Only decisions
 * over numbers with fractions count: integers and texts are the same everywhere.
 */
function decisiveValues(graph: PlanGraph): ReadonlySet<number> {
  const decisive = new Set<number>();
  for (const { stage, steps } of [...graph.units].reverse())
    for (const place of [...steps].reverse()) {
      const step = graph.plan.stages[stage]!.stage.steps[place]!;
      const decides = lowerings.get(step.operator)?.jumps === true;
      if (!decides && !decisive.has(graph.valueOfStep(stage, place))) continue;
      for (const slot of step.inputs) decisive.add(graph.valueOf(stage, slot));
    }
  return decisive;
}

/** It would make numbers inexact on which a decision rests. */
function spoils(graph: PlanGraph, { stage, steps }: Unit, decisive: ReadonlySet<number>): boolean {
  return steps.some((place) => {
    const { operator, type } = graph.plan.stages[stage]!.stage.steps[place]!;
    const isExact = lowerings.get(operator)?.exact === true || dtypeOf(type) !== 'float32';
    return !isExact && decisive.has(graph.valueOfStep(stage, place));
  });
}
