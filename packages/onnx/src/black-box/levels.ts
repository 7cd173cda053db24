import type { NodeProto } from '../proto/schema.js';
import { readNames } from './uses.js';

/**
 * The nodes of a graph, cut into as few black boxes as it allows.
 *
 * A node's level is how often the worst path to it goes from a black node into a white one. It
 * never falls along a path, and a path that leaves the black nodes of a level comes back on a
 * higher one: so the black nodes of one level are one box that no path leaves to come back. There
 * are as many boxes as some path needs, so no cut has fewer.
 *
 * ```
 * white a ─▶ black b ─▶ white c ─▶ black e      level 0: a, b; level 1: c, e
 *        └─▶ black d ───────────────────┘       d is on level 0, in one box with b
 * ```
 * @returns white nodes in the order of the file and the black ones that come after them, level by
 * level.
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
