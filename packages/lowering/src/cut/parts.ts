import type { PlanGraph } from './plan-graph.js';

/** Units that run together, by their places in the graph: on the device in one call, or on the CPU as a stage. */
export interface Part {
  readonly units: readonly number[];
  readonly isOnDevice: boolean;
}

/**
 * Cuts a plan into as few parts for the device as can be, and the stages of the CPU between them. A unit's level is how often the worst path to it goes
 * from the device to the CPU: levels never fall along a path and rise when it leaves the device, so what one level has for the device can go there
 * together, and no part waits for itself.
 *
 * @param isApart stages that are not joined with others.
 */
export function partsOf(
  graph: PlanGraph,
  onDevice: readonly boolean[],
  isApart: (stage: number) => boolean,
): readonly Part[] {
  const levels = levelsOf(graph, onDevice);
  const parts: Part[] = [];
  for (let level = 0; level <= Math.max(...levels); level++) {
    const here = graph.units.flatMap((_, at) => (levels[at] === level ? [at] : []));
    const device = here.filter((at) => onDevice[at]);
    const others = here.filter((at) => !onDevice[at]);
    for (const units of groupedBy(others, (at) => graph.units[at]!.stage)) parts.push({ units, isOnDevice: false });
    for (const units of joined(graph, device, isApart)) parts.push({ units, isOnDevice: true });
  }
  return parts;
}

function levelsOf(graph: PlanGraph, onDevice: readonly boolean[]): number[] {
  const makers = makersOf(graph);
  const levels: number[] = [];
  graph.units.forEach(({ reads }, at) => {
    const before = reads.flatMap((value) => makers.get(value) ?? []);
    levels[at] = Math.max(0, ...before.map((maker) => levels[maker]! + (onDevice[maker] && !onDevice[at] ? 1 : 0)));
  });
  return levels;
}

/** Value → the unit that makes it. */
export const makersOf = (graph: PlanGraph): ReadonlyMap<number, number> =>
  new Map(
    graph.units.flatMap(({ stage, steps }, at) => steps.map((step) => [graph.valueOfStep(stage, step), at] as const)),
  );

const ANY_STAGE = -1;

/** Units that read what others among them make or read go together: what they have in common crosses once. */
function joined(graph: PlanGraph, device: readonly number[], isApart: (stage: number) => boolean): number[][] {
  const groups = new Map<number, number>(device.map((at) => [at, at]));
  const makers = makersOf(graph);
  // A stage that is apart meets itself alone.
  const company = (at: number) => (isApart(graph.units[at]!.stage) ? graph.units[at]!.stage : ANY_STAGE);
  const readers = new Map<string, number>();
  for (const at of device)
    for (const value of graph.units[at]!.reads) {
      const key = `${value} ${company(at)}`;
      for (const other of [makers.get(value), readers.get(key)])
        if (other !== undefined && groups.has(other) && company(other) === company(at)) merge(groups, other, at);
      readers.set(key, at);
    }
  return groupedBy(device, (at) => groups.get(at)!);
}

/** The group of two is that of the earlier. */
function merge(groups: Map<number, number>, one: number, other: number): void {
  const [from, to] = [groups.get(one)!, groups.get(other)!];
  const [first, second] = from < to ? [from, to] : [to, from];
  for (const [at, group] of groups) if (group === second) groups.set(at, first);
}

/** In the order of their first members. */
function groupedBy(units: readonly number[], groupOf: (unit: number) => number): number[][] {
  const groups = new Map<number, number[]>();
  for (const at of units) {
    const group = groups.get(groupOf(at));
    if (group === undefined) groups.set(groupOf(at), [at]);
    else group.push(at);
  }
  return [...groups.values()];
}
