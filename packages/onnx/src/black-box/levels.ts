import type { NodeProto } from '../proto/schema.js';
import { readNames } from './uses.js';

/**
 * Groups the black nodes of a graph into as few boxes as possible.
 *
 * Black nodes run in another runtime, white nodes in Brezel. The level of a node is the largest
 * number of edges from a black to a white node on a path to the node. Along a path, the level never
 * decreases. A path that leaves the black nodes of one level reaches other black nodes only at a
 * higher level. The black nodes of one level therefore form one box, and no path leaves a box and
 * returns to it. Some path has nodes on every level, so every grouping needs at least one box per
 * level.
 *
 * ```
 * white a ─▶ black b ─▶ white c ─▶ black e level 0: a, b; level 1: c, e
 *        └─▶ black d ───────────────────┘       d is on level 0, in one box with b
 * ```
 * @returns for each level, the white nodes in file order, then the black nodes.
 */
export function byLevels(
  nodes: readonly NodeProto[],
  isBlack: (node: NodeProto) => boolean,
): { readonly white: readonly NodeProto[]; readonly black: readonly NodeProto[] }[] {
  const after = new Map<string, number>(); // level of a white reader, by value
  const inside = new Map<string, number>(); // level of a black reader
  const levels: { white: NodeProto[]; black: NodeProto[] }[] = [];
  for (const node of nodes) {
    const black = isBlack(node);
    const known = black ? inside : after;
    let level = 0;
    for (const name of readNames(node)) level = Math.max(level, known.get(name) ?? 0);
    for (const name of node.output) {
      inside.set(name, level);
      after.set(name, black ? level + 1 : level);
    }
    while (levels.length <= level) levels.push({ white: [], black: [] });
    levels[level]![black ? 'black' : 'white'].push(node);
  }
  return levels;
}
