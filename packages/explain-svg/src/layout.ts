import type { DrawnEdge } from '@brezel/oven/explain-views';
import { layout as dagre, graphlib } from '@dagrejs/dagre';
import { alignLevels, type Item } from './align.js';

/** Direction of the flow from inputs to answers: top to bottom, or left to right. */
export type Direction = 'down' | 'right';

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The positions of all nodes and edges of a picture.
 */
export interface Layout {
  readonly direction: Direction;
  readonly size: Size;
  /**
   * Upper left corner and size of each node, and the position at which its level ends in the
   * direction of the flow. Levels end at their longest node.
   */
  readonly nodes: ReadonlyMap<string, Point & Size & { readonly levelEnd: number }>;
  /** For each edge, its position on each level that it crosses between its two nodes. */
  readonly passes: readonly (readonly Pass[])[];
}

/**
 * The straight part of an edge where it crosses a level between the levels of its two nodes. The
 * straight line runs in the direction of the layout, at position `across`, from the start of the
 * level (`from`) to its end (`to`).
 */
export interface Pass {
  readonly across: number;
  readonly from: number;
  readonly to: number;
}

const BESIDE = 30;
const BESIDE_PASS = 16;
const BETWEEN_LEVELS = 52;
/**
 * Each edge between two levels adds this number of pixels to their distance, up to
 * MOST_BETWEEN_LEVELS, so that edges stay distinguishable.
 */
const MORE_FOR_EACH_EDGE = 4;
const MOST_BETWEEN_LEVELS = 110;

/**
 * Places nodes on levels, so that each node is on a later level than the nodes whose values it
 * reads, and few edges cross. The library dagre chooses the level of each node and the order on
 * each level. This package chooses the positions on the levels. The same input gives the same
 * layout.
 */
export function layoutGraph(
  sizes: ReadonlyMap<string, Size>,
  edges: readonly DrawnEdge[],
  direction: Direction,
): Layout {
  const turned = direction === 'right';
  const lengthAcross = ({ width, height }: Size) => (turned ? height : width);
  const lengthAlong = ({ width, height }: Size) => (turned ? width : height);
  const { levels, links } = orderedLevels(sizes, edges, lengthAcross, lengthAlong);
  alignLevels(levels, links);
  mirrorIfReversed(levels, [...sizes.keys()]);

  const items = levels.flat();
  const first = Math.min(...items.map(({ centre, half }) => centre - half));
  const last = Math.max(...items.map(({ centre, half }) => centre + half));
  const nodes = new Map<string, Point & Size & { readonly levelEnd: number }>();
  const passes: Pass[][] = edges.map(() => []);
  let along = 0;
  let end = 0;
  levels.forEach((level, index) => {
    end = along + Math.max(0, ...level.map(({ id }) => (id === undefined ? 0 : lengthAlong(sizes.get(id)!))));
    for (const { id, edge, centre, half } of level) {
      if (id === undefined) passes[edge!]!.push({ across: centre - first, from: along, to: end });
      else {
        // Nodes start where their level starts, so that no edge touches a neighbor.
        const corner = turned ? { x: along, y: centre - half - first } : { x: centre - half - first, y: along };
        nodes.set(id, { ...corner, ...sizeOf(sizes.get(id)!), levelEnd: end });
      }
    }
    along = end + gapAfter(level, levels[index + 1] ?? [], links);
  });
  const [acrossAll, alongAll] = [last - first, end];
  const size = turned ? { width: alongAll, height: acrossAll } : { width: acrossAll, height: alongAll };
  return { direction, size, nodes, passes };
}

const sizeOf = ({ width, height }: Size): Size => ({ width, height });

function gapAfter(level: readonly Item[], next: readonly Item[], links: readonly (readonly [Item, Item])[]): number {
  const [above, below] = [new Set(level), new Set(next)];
  const crossing = links.filter(([from, to]) => above.has(from) && below.has(to)).length;
  return Math.min(MOST_BETWEEN_LEVELS, BETWEEN_LEVELS + crossing * MORE_FOR_EACH_EDGE);
}

/**
 * Returns the items of each level in the order that dagre chooses: nodes, and edges that cross the
 * level. `links` contains the pairs of items on neighboring levels that an edge connects.
 */
function orderedLevels(
  sizes: ReadonlyMap<string, Size>,
  edges: readonly DrawnEdge[],
  lengthAcross: (size: Size) => number,
  lengthAlong: (size: Size) => number,
): { levels: Item[][]; links: [Item, Item][] } {
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: BESIDE, edgesep: BESIDE_PASS, ranksep: BETWEEN_LEVELS });
  for (const [id, size] of sizes) graph.setNode(id, { width: lengthAcross(size), height: lengthAlong(size) });
  edges.forEach(({ from, to }, index) => {
    graph.setEdge(from, to, {}, `${index}`);
  });
  dagre(graph);

  const levels = new Map<number, Item[]>(); // by the line through the centers of their nodes
  const items = new Map<string, Item>();
  for (const id of sizes.keys()) {
    const { x, y, width } = graph.node(id) as Point & Size;
    const item: Item = { id, centre: x, half: width / 2, room: BESIDE / 2 };
    items.set(id, item);
    levels.set(Math.round(y), [...(levels.get(Math.round(y)) ?? []), item]);
  }
  const links: [Item, Item][] = [];
  edges.forEach(({ from, to }, edge) => {
    const { points = [] } = graph.edge(from, to, `${edge}`) as { points?: readonly Point[] };
    let before = items.get(from)!;
    for (const { x, y } of points.slice(1, -1)) {
      const level = levels.get(Math.round(y)); // dagre also has points between levels
      if (level === undefined) continue;
      const item: Item = { edge, centre: x, half: 0, room: BESIDE_PASS / 2 };
      level.push(item);
      links.push([before, item]);
      before = item;
    }
    links.push([before, items.get(to)!]);
  });
  const sorted = [...levels].sort(([a], [b]) => a - b).map(([, level]) => level);
  for (const level of sorted) level.sort((a, b) => a.centre - b.centre);
  return { levels: sorted, links };
}

/**
 * Reverses the order of the items on all levels if most stages and models are in the reverse of the
 * given order.
 */
function mirrorIfReversed(levels: readonly Item[][], order: readonly string[]): void {
  const rank = new Map(order.map((id, index) => [id, index]));
  let inOrder = 0;
  for (const level of levels) {
    const places = level.flatMap(({ id }) => (id === undefined ? [] : [rank.get(id)!]));
    places.forEach((position, index) => {
      for (const other of places.slice(index + 1)) inOrder += Math.sign(other - position);
    });
  }
  if (inOrder >= 0) return;
  for (const level of levels) {
    level.reverse();
    for (const item of level) item.centre = -item.centre;
  }
}
