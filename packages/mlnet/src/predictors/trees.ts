import { damaged, unsupported } from '../errors.js';
import type { ModelPart } from '../model-part.js';
import { ForestWriter, GT, LEQ, type Slot, whenFalse, whenTrue } from './forest-writer.js';
import { ofSize, type Predictor } from './predictor.js';

/** A tree in ML.NET's form. A negative child `c` is leaf `-1 - c`. */
interface Tree {
  readonly at: string;
  readonly lteChild: Int32Array;
  readonly gtChild: Int32Array;
  readonly feature: Int32Array;
  readonly threshold: Float32Array;
  /**
   * For each node, the number that replaces a missing value. Without this list, a missing value
   * takes the `>` child of a threshold, and the `<=` child of a category node.
   */
  readonly whenMissing: Float32Array | undefined;
  /**
   * The features that each category node tests. If one of these features is above 0, the row goes
   * to the `>` child.
   */
  readonly categories: ReadonlyMap<number, Int32Array>;
  readonly leafValues: Float64Array;
}

export interface TreeVersions {
  /** The first model version whose trees store replacements of missing values. */
  readonly missing: number;
  /** The first model version whose trees store sets of categories. */
  readonly categories: number;
  /** The first model version whose trees store the number of features. */
  readonly features: number;
  /**
   * The first model version whose quantile trees store weights of training rows. Undefined for
   * other trees.
   */
  readonly weights?: number;
}

/**
 * Reads a forest of FastTree, FastForest or LightGBM. As in ML.NET, thresholds are compared in
 * float32, and leaves are added in float64 and rounded once.
 *
 * @param average for FastForest: divides the rounded sum by the number of trees.
 */
export function trees(part: ModelPart, versions: TreeVersions, average = false): Predictor {
  part.floatSize();
  const all = Array.from({ length: part.count(MIN_TREE_BYTES) }, (_, at) => readTree(part, versions, at));
  part.double(); // a bias, which predictions do not use
  part.stringOrNull(); // how the first input was prepared
  part.stringOrNull(); // options of the trainer
  const features = part.version >= versions.features ? part.int() : 0;
  const greatest = Math.max(-1, ...all.map(greatestFeature));
  if (features < 0 || (features > 0 && greatest >= features))
    throw part.fail(`features above ${greatest}`, `${features}`);
  return {
    targets: 1,
    score(given) {
      const writer = new ForestWriter();
      for (const tree of all) writeTree(writer, tree);
      const source = features > 0 ? ofSize(given, features, part.at) : given;
      const sum = source.densify().cast('float64') as typeof given;
      if (all.length === 0) throw unsupported(part.at, 'a forest without trees');
      const score = sum.forest(writer.forest()).cast('float32') as typeof given;
      return average ? score.arithmetic('divide', [all.length]) : score;
    },
  };
}

const MIN_TREE_BYTES = 21;
const PLAIN_TREE = 0;
const QUANTILE_TREE = 2;

function readTree(part: ModelPart, versions: TreeVersions, number: number): Tree {
  const at = `${part.at}, tree ${number}`;
  const kind = part.byte();
  if (kind !== PLAIN_TREE && kind !== QUANTILE_TREE) throw unsupported(at, `a tree of kind ${kind}`);
  const leaves = part.int();
  part.bytes(16); // the greatest output, and a weight that is in the leaves already
  const [lteChild, gtChild, feature] = [part.ints(), part.ints(), part.ints()];
  const categories = part.version >= versions.categories ? readCategories(part) : new Map<number, Int32Array>();
  part.ints(); // thresholds of binned features
  const threshold = part.floats();
  const whenMissing = part.version >= versions.missing ? part.floats() : new Float32Array();
  const leafValues = part.doubles();
  part.doubles(); // gains of splits, their p-values, and values before the last round
  part.doubles();
  part.doubles();
  if (kind === QUANTILE_TREE) part.doubles();
  if (kind === QUANTILE_TREE && part.version >= (versions.weights ?? Number.POSITIVE_INFINITY)) part.doubles();
  const nodes = leaves - 1;
  const lists = [lteChild, gtChild, feature, threshold, ...(whenMissing.length > 0 ? [whenMissing] : [])];
  if (!(nodes >= 1) || leafValues.length < leaves || lists.some(({ length }) => length < nodes))
    throw damaged(at, `${leaves} leaves and their nodes`, `lists of ${lists.map(({ length }) => length).join(', ')}`);
  const hasMissing = whenMissing.some((value) => value !== 0);
  const tree = { at, lteChild, gtChild, feature, threshold, leafValues, categories };
  checkNodes(tree, nodes, leaves);
  return { ...tree, whenMissing: hasMissing ? whenMissing : undefined };
}

function readCategories(part: ModelPart): Map<number, Int32Array> {
  const found = new Map<number, Int32Array>();
  for (const node of part.ints()) {
    found.set(node, part.ints());
    part.ints(2); // the range of its features
  }
  return found;
}

function checkNodes(tree: Omit<Tree, 'whenMissing'>, nodes: number, leaves: number): void {
  for (let node = 0; node < nodes; node++) {
    for (const child of [tree.lteChild[node]!, tree.gtChild[node]!])
      if (!(child < nodes && ~child < leaves))
        throw damaged(`${tree.at}, node ${node}`, 'children in the tree', `${child}`);
    const features = tree.categories.get(node) ?? [tree.feature[node]!];
    for (const feature of features)
      if (!(feature >= 0)) throw damaged(`${tree.at}, node ${node}`, 'a feature', `${feature}`);
  }
}

function greatestFeature({ feature, categories, lteChild }: Tree): number {
  let greatest = -1;
  for (let node = 0; node < lteChild.length; node++)
    for (const one of categories.get(node) ?? [feature[node]!]) greatest = Math.max(greatest, one);
  return greatest;
}

/**
 * Writes a tree depth first, without recursion, because the file decides the depth. If the walk
 * visits more nodes than the tree has, the tree has a cycle.
 */
function writeTree(writer: ForestWriter, tree: Tree): void {
  writer.startTree();
  const most = 2 * tree.lteChild.length + 1;
  const waiting: { readonly node: number; readonly slots: readonly Slot[] }[] = [{ node: 0, slots: [] }];
  for (let written = 0; waiting.length > 0; written++) {
    if (written >= most) throw damaged(tree.at, `${most} nodes and leaves`, 'more: one is below itself');
    const { node, slots } = waiting.pop()!;
    if (node < 0) {
      writer.leaf(slots, tree.leafValues[~node]!);
      continue;
    }
    const { lte, gt } = writeTest(writer, tree, node, slots);
    waiting.push({ node: tree.gtChild[node]!, slots: gt });
    if (lte.length > 0) waiting.push({ node: tree.lteChild[node]!, slots: lte });
  }
}

interface Branches {
  readonly lte: readonly Slot[];
  readonly gt: readonly Slot[];
}

function writeTest(writer: ForestWriter, tree: Tree, node: number, slots: readonly Slot[]): Branches {
  const standIn = tree.whenMissing?.[node];
  const categories = tree.categories.get(node);
  if (categories === undefined) {
    const threshold = tree.threshold[node]!;
    const missingLte = standIn !== undefined && standIn <= threshold;
    const test = writer.test(slots, tree.feature[node]!, LEQ, threshold, missingLte);
    return { lte: [whenTrue(test)], gt: [whenFalse(test)] };
  }
  const gt: Slot[] = [];
  let next = slots;
  for (const feature of categories) {
    const test = writer.test(next, feature, GT, 0, standIn !== undefined && standIn > 0);
    gt.push(whenTrue(test));
    next = [whenFalse(test)];
  }
  if (categories.length === 0) throw damaged(`${tree.at}, node ${node}`, 'categories to test', 'none');
  return { lte: next, gt };
}
