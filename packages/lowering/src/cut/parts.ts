import type { PlanGraph } from './plan-graph.js';

/**
 * Units that run together: on the device in one call, or on the CPU as one stage. `units` contains
 * their indices in `PlanGraph.units`.
 */
export interface Part {
  readonly units: readonly number[];
  readonly isOnDevice: boolean;
}

/**
 * Groups the units of a plan (kernel calls or whole stages) into parts and CPU stages. Each part
 * runs in one call of the device.
 *
 * The level of a unit is the largest number of changes from device to CPU on a path to the unit.
 * Levels never decrease along a path, and they increase when a path leaves the device. So the
 * device units of one level can run in one call: none of them waits for a CPU unit that reads their
 * results.
 *
 * @param isApart returns whether a stage must not be merged with others.
 */
export function partsOf(
  graph: PlanGraph,
  onDevice: readonly boolean[],
  isApart: (stage: number) => boolean,
): readonly Part[] {
  const levels = levelsOf(graph, onDevice);
  const parts: Part[] = [];
  for (let level = 0; level <= Math.max(...levels); level++) {
    const here = graph.units.flatMap((_, unit) => (levels[unit] === level ? [unit] : []));
    const device = here.filter((unit) => onDevice[unit]);
    const others = here.filter((unit) => !onDevice[unit]);
    for (const units of groupedBy(others, (unit) => graph.units[unit]!.stage)) parts.push({ units, isOnDevice: false });
    for (const units of joined(graph, device, isApart)) parts.push({ units, isOnDevice: true });
  }
  return parts;
}

function levelsOf(graph: PlanGraph, onDevice: readonly boolean[]): number[] {
  const makers = makersOf(graph);
  const levels: number[] = [];
  graph.units.forEach(({ reads }, unit) => {
    const before = reads.flatMap((value) => makers.get(value) ?? []);
    levels[unit] = Math.max(0, ...before.map((maker) => levels[maker]! + (onDevice[maker] && !onDevice[unit] ? 1 : 0)));
  });
  return levels;
}

/** Returns a map from each value to the index of the unit that computes it. */
export const makersOf = (graph: PlanGraph): ReadonlyMap<number, number> =>
  new Map(
    graph.units.flatMap(({ stage, steps }, unit) =>
      steps.map((step) => [graph.valueOfStep(stage, step), unit] as const),
    ),
  );

const ANY_STAGE = -1;

/**
 * Groups units on the device that read the same value, or that read each other's results. A group
 * transfers a common value only once.
 */
function joined(graph: PlanGraph, device: readonly number[], isApart: (stage: number) => boolean): number[][] {
  const groups = new Map<number, number>(device.map((unit) => [unit, unit]));
  const makers = makersOf(graph);
  // Units of a stage that must not be merged are grouped only with units of the same stage.
  const company = (unit: number) => (isApart(graph.units[unit]!.stage) ? graph.units[unit]!.stage : ANY_STAGE);
  const readers = new Map<string, number>();
  for (const unit of device)
    for (const value of graph.units[unit]!.reads) {
      const key = `${value} ${company(unit)}`;
      for (const other of [makers.get(value), readers.get(key)])
        if (other !== undefined && groups.has(other) && company(other) === company(unit)) merge(groups, other, unit);
      readers.set(key, unit);
    }
  return groupedBy(device, (unit) => groups.get(unit)!);
}

/** Merges the groups of two units. The merged group has the smaller number of both groups. */
function merge(groups: Map<number, number>, unit: number, other: number): void {
  const [from, to] = [groups.get(unit)!, groups.get(other)!];
  const [first, second] = from < to ? [from, to] : [to, from];
  for (const [member, group] of groups) if (group === second) groups.set(member, first);
}

/** Groups units in the order of the first member of each group. */
function groupedBy(units: readonly number[], groupOf: (unit: number) => number): number[][] {
  const groups = new Map<number, number[]>();
  for (const unit of units) {
    const group = groups.get(groupOf(unit));
    if (group === undefined) groups.set(groupOf(unit), [unit]);
    else group.push(unit);
  }
  return [...groups.values()];
}
