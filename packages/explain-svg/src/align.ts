import { spread } from './spread.js';

/**
 * An item on a level of the picture: a node, or an edge between other levels that crosses
 * this level.
 */
export interface Item {
  readonly id?: string;
  readonly edge?: number;
  /** The position of the item's center on its level. */
  centre: number;
  /** Half of the width that the item takes on its level. */
  readonly half: number;
  /** Free space that the item needs on each side. */
  readonly room: number;
}

const SWEEPS = 24;

/**
 * Moves each item on its level toward the middle of the items that are linked to it. The order of
 * the items on a level stays the same.
 */
export function alignLevels(levels: readonly (readonly Item[])[], links: readonly (readonly [Item, Item])[]): void {
  const neighbours = new Map<Item, Item[]>(levels.flat().map((item) => [item, []]));
  for (const [a, b] of links) {
    neighbours.get(a)!.push(b);
    neighbours.get(b)!.push(a);
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (const level of sweep % 2 === 0 ? levels : [...levels].reverse()) alignLevel(level, neighbours);
}

function alignLevel(level: readonly Item[], neighbours: ReadonlyMap<Item, readonly Item[]>): void {
  const wanted = level.map((item) => {
    const near = neighbours.get(item)!;
    return near.length === 0 ? item.centre : near.reduce((sum, neighbor) => sum + neighbor.centre, 0) / near.length;
  });
  const gaps = level.slice(1).map((item, index) => {
    const before = level[index]!;
    return before.half + before.room + item.room + item.half;
  });
  spread(wanted, gaps).forEach((centre, index) => {
    level[index]!.centre = centre;
  });
}
