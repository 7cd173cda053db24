const MAGIC = { perfect: 0x50465a42, linked: 0x4c465a42 } as const;
/**
 * The largest valid `form` of a forest: the depth of perfect trees, or the number of bits of a
 * column in a node of linked trees.
 */
const MAX_FORM = 20;

/** The arrays of a packed forest that `checkForest` reads. */
interface ForestArrays {
  readonly trees: number;
  readonly form: number;
  readonly leaves: Int32Array;
  readonly links: Int32Array;
  readonly depths: Int32Array;
  readonly treeTargets: Int32Array;
  readonly weights: Float32Array;
}

/**
 * Checks a packed forest, so that a walk through each tree ends: sizes and depths must be valid,
 * and children must have greater indexes than their parents. The bytes may come from a file. An
 * invalid column or payload can only give a wrong answer, because JavaScript reads undefined beyond
 * the end of a typed array.
 *
 * @throws RangeError; the engine adds the name of the stage.
 */
export function checkForest(forest: ForestArrays, magic: number, kind: keyof typeof MAGIC): void {
  const { trees, form, leaves, links, treeTargets, weights } = forest;
  const leafCount = kind === 'perfect' ? trees * 2 ** form : trees + 1;
  const isSound =
    magic === MAGIC[kind] &&
    form >= 1 &&
    form <= MAX_FORM &&
    leafCount <= leaves.length &&
    (kind === 'linked' || 2 * leafCount <= links.length) &&
    (weights.length > 0 || trees <= treeTargets.length);
  if (!isSound) throw new RangeError('a forest of impossible sizes');
  if (kind === 'linked') for (let tree = 0; tree < trees; tree++) checkLinkedTree(forest, tree);
}

/**
 * Checks that children have greater indexes than their parents, and that the tree has its declared
 * depth.
 */
function checkLinkedTree({ leaves: firstNodes, links, form, depths }: ForestArrays, tree: number): void {
  const first = firstNodes[tree]!;
  const size = firstNodes[tree + 1]! - first;
  const isThere = first >= 0 && size > 0 && 2 * (first + size) <= links.length;
  const mask = 2 ** form - 1;
  const heights = new Int32Array(isThere ? size : 0);
  for (let at = heights.length - 1; at >= 0; at--) {
    const link = links[2 * (first + at) + 1]!;
    if ((link & mask) === 0) continue; // column 0 marks a leaf
    const child = link >>> form;
    if (child <= at || child + 1 >= size) throw new RangeError(`tree ${tree} of a forest leads nowhere`);
    heights[at] = 1 + Math.max(heights[child]!, heights[child + 1]!);
  }
  if (heights[0] !== depths[tree]) throw new RangeError(`tree ${tree} of a forest has another depth than it says`);
}
