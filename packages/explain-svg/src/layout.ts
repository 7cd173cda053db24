import type { DrawnEdge } from '@brezel/oven/explain-views';
import { layout as dagre, graphlib } from '@dagrejs/dagre';
import { alignLevels, type Item } from './align.js';

/** From the inputs on top to the answers at the bottom, or from left to right. */
export type Direction = 'down' | 'right';

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where everything is. An edge is told as the gaps between nodes through which it runs. */
export interface Layout {
  readonly direction: Direction;
  readonly size: Size;
  /** Left upper corner of each node, and where its level ends, along the flow: edges leave it straight until there. */
  readonly nodes: ReadonlyMap<string, Point & Size & { readonly levelEnd: number }>;
  /** In the order of the edges. */
  readonly passes: readonly (readonly Pass[])[];
}

/** A level that an edge passes, between the nodes of that level: straight along the flow, from one end of the level to the other. */
export interface Pass {
  readonly across: number;
  readonly from: number;
  readonly to: number;
}

const BESIDE = 30;
const BESIDE_PASS = 16;
const BETWEEN_LEVELS = 52;
/** More edges between two levels need more room to be told apart. */
const MORE_FOR_EACH_EDGE = 4;
const MOST_BETWEEN_LEVELS = 110;

/**
 * Places nodes on levels, each below those it reads from, with few crossings: levels and orders are dagre's, places on the levels ours. The same
 * input gives the same layout.
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
  levels.forEach((level, at) => {
    end = along + Math.max(0, ...level.map(({ id }) => (id === undefined ? 0 : lengthAlong(sizes.get(id)!))));
    for (const { id, edge, centre, half } of level) {
      if (id === undefined) passes[edge!]!.push({ across: centre - first, from: along, to: end });
      else {
        // Nodes begin where their level begins, so that no edge meets a neighbour on its way in.
        const corner = turned ? { x: along, y: centre - half - first } : { x: centre - half - first, y: along };
        nodes.set(id, { ...corner, ...sizeOf(sizes.get(id)!), levelEnd: end });
      }
    }
    along = end + gapAfter(level, levels[at + 1] ?? [], links);
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

/** Nodes and passing edges of each level in dagre's order, and which of them are neighbours on an edge. */
function orderedLevels(
  sizes: ReadonlyMap<string, Size>,
  edges: readonly DrawnEdge[],
  lengthAcross: (size: Size) => number,
  lengthAlong: (size: Size) => number,
): { levels: Item[][]; links: [Item, Item][] } {
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: BESIDE, edgesep: BESIDE_PASS, ranksep: BETWEEN_LEVELS });
  for (const [id, size] of sizes) graph.setNode(id, { width: lengthAcross(size), height: lengthAlong(size) });
  edges.forEach(({ from, to }, at) => {
    graph.setEdge(from, to, {}, `${at}`);
  });
  dagre(graph);

  const levels = new Map<number, Item[]>(); // by the line on which their nodes are centred
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
      const level = levels.get(Math.round(y)); // there are points between levels too
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

/** The first stage, or model, is on the left, or on top: whichever side has them mostly in order. */
function mirrorIfReversed(levels: readonly Item[][], order: readonly string[]): void {
  const place = new Map(order.map((id, at) => [id, at]));
  let inOrder = 0;
  for (const level of levels) {
    const places = level.flatMap(({ id }) => (id === undefined ? [] : [place.get(id)!]));
    places.forEach((one, at) => {
      for (const other of places.slice(at + 1)) inOrder += Math.sign(other - one);
    });
  }
  if (inOrder >= 0) return;
  for (const level of levels) {
    level.reverse();
    for (const item of level) item.centre = -item.centre;
  }
}
