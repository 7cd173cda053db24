import { dtypeOf, type ParameterId, type ParameterValue, printType } from '@brezel/core';
import { isDense, whyNotLowered, whyStepStays } from '../lower-stage.js';
import { lowerings } from '../operators/index.js';
import type { PlanGraph, Unit } from './plan-graph.js';

/**
 * The reason that EXPLAIN prints if the device supports an operator, but its inexact result could
 * change a later decision, such as a branch of a tree.
 */
export const JUMPS = 'inexact on the device, and a decision depends on it';

type Parameters = (id: ParameterId) => ParameterValue;

/** Returns, for each unit, why it must run on the CPU, or undefined if the device may run it. */
export function verdictsOf(graph: PlanGraph, parameters: Parameters, mayJump: boolean): (string | undefined)[] {
  const verdicts = graph.units.map((unit) => whyUnitStays(graph, unit, parameters));
  if (mayJump) return verdicts;
  const decisive = decisiveValues(graph);
  return verdicts.map((why, index) => why ?? (makesInexact(graph, graph.units[index]!, decisive) ? JUMPS : undefined));
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
    if (!isDense(step.type, 'float32', 'int64')) return `returns ${printType(step.type)}`;
  }
  return undefined;
}

/**
 * Returns the values on which a discrete result depends, such as a branch of a tree or the index of
 * the largest score. A small difference in these values can change the answer completely.
 */
function decisiveValues(graph: PlanGraph): ReadonlySet<number> {
  const decisive = new Set<number>();
  for (const { stage, steps } of [...graph.units].reverse())
    for (const index of [...steps].reverse()) {
      const step = graph.plan.stages[stage]!.stage.steps[index]!;
      const decides = lowerings.get(step.operator)?.jumps === true;
      if (!decides && !decisive.has(graph.valueOfStep(stage, index))) continue;
      for (const slot of step.inputs) decisive.add(graph.valueOf(stage, slot));
    }
  return decisive;
}

/**
 * Returns whether the device would compute an inexact value in this unit, and a discrete result
 * depends on this value.
 */
function makesInexact(graph: PlanGraph, { stage, steps }: Unit, decisive: ReadonlySet<number>): boolean {
  return steps.some((step) => {
    const { operator, type } = graph.plan.stages[stage]!.stage.steps[step]!;
    const isExact = lowerings.get(operator)?.exact === true || dtypeOf(type) !== 'float32';
    return !isExact && decisive.has(graph.valueOfStep(stage, step));
  });
}
