import type { DType } from '@brezel/core';
import { onnxError } from '../errors.js';
import { elementOf } from '../proto/element-tensor.js';
import type { GraphProto, NodeProto, ValueInfoProto } from '../proto/schema.js';
import { byLevels } from './levels.js';
import { readNames } from './uses.js';

/** The element type and the shape of one row of a value, as the file declares them. */
export interface DeclaredRow {
  /** The element type in the graph. Rows contain float16 numbers as float32. */
  readonly element: DType | 'float16';
  /** The shape of one row, without the axis of the rows. */
  readonly dims: readonly number[];
}

const rowElements: ReadonlySet<string> = new Set<DeclaredRow['element']>([
  'float32',
  'float64',
  'int64',
  'int32',
  'bool',
  'string',
  'float16',
]);

/**
 * Returns the declared element type and shape of one row of a value. Returns undefined if the file
 * does not declare them, or if rows cannot contain values of this type.
 */
export function declaredRow(value: ValueInfoProto | undefined): DeclaredRow | undefined {
  const tensor = value?.type?.tensorType;
  const element = tensor && elementOf(tensor.elemType);
  const axes = tensor?.shape?.dim;
  if (element === undefined || !rowElements.has(element) || axes === undefined || axes.length === 0) return undefined;
  const dims = axes.slice(1).map(({ dimValue }) => dimValue ?? 0);
  return dims.every((size) => size > 0) ? { element: element as DeclaredRow['element'], dims } : undefined;
}

/**
 * Returns the nodes that black boxes of a row program must contain. A row program needs the size of
 * every value between its stages. Therefore a node that reads a value of undeclared size from an
 * unsupported node also belongs to a black box. If a value of undeclared size still passes from one
 * box to another, all nodes after unsupported nodes belong to black boxes.
 *
 * A node of a custom operator stays in Brezel. Therefore nodes that Brezel supports leave the boxes
 * if a custom operator needs their undeclared values.
 *
 * @param reasons why a black box contains a node.
 * @param required the nodes of `reasons` that Brezel does not support.
 * @throws ERR_ONNX_SHAPE if a box must pass an undeclared value to Brezel or to another box.
 */
export function withUndeclaredReaders(
  graph: GraphProto,
  reasons: Reasons,
  required: () => Reasons,
  isCustom: (node: NodeProto) => boolean,
): Reasons {
  const { node: nodes, output, valueInfo } = graph;
  const declared = new Set(
    [...output, ...valueInfo].flatMap((value) => (declaredRow(value) === undefined ? [] : value.name)),
  );
  const customs = new Set(nodes.filter((node) => !reasons.has(node) && isCustom(node)));
  const readers = addedReaders(graph, reasons, declared, customs);
  if (customs.size === 0 || undeclaredResult(nodes, readers, declared) === undefined) return readers;
  const must = required();
  const before = beforeCustoms(nodes, customs, declared);
  const fewer = new Map([...reasons].filter(([node]) => must.has(node) || !before.has(node)));
  const rest = addedReaders(graph, fewer, declared, customs);
  if (undeclaredResult(nodes, rest, declared) === undefined) return rest;
  const fewest = addedReaders(graph, must, declared, customs);
  const name = undeclaredResult(nodes, fewest, declared);
  if (name === undefined) return fewest;
  throw onnxError('ERR_ONNX_SHAPE', {
    expected: `a declared type [N, sizes...] of "${name}", which a black box computes before a custom operator`,
    received: 'no sizes, or an element type that rows do not have',
    at: `value "${name}"`,
    hint: `declare the sizes of "${name}" in the file (value_info), because a custom operator runs outside black boxes`,
  });
}

type Reasons = ReadonlyMap<NodeProto, string>;

/** Adds the readers of undeclared values, except custom operators. */
function addedReaders(
  graph: GraphProto,
  reasons: Reasons,
  declared: ReadonlySet<string>,
  customs: ReadonlySet<NodeProto>,
): Reasons {
  const readers = withReaders(
    graph,
    reasons,
    customs,
    (name) => !declared.has(name),
    (name) => `it reads "${name}", whose sizes the file does not declare`,
  );
  if (!crossesBoxes(graph, readers, declared)) return readers;
  return withReaders(
    graph,
    readers,
    customs,
    () => true,
    (name) => `it reads "${name}", and sizes that go from box to box are not declared`,
  );
}

/**
 * Returns an undeclared value that a black box computes and that another box or a node outside
 * boxes reads. Returns undefined if the file declares all such values.
 */
function undeclaredResult(
  nodes: readonly NodeProto[],
  reasons: Reasons,
  declared: ReadonlySet<string>,
): string | undefined {
  const boxOf = new Map<string, number>();
  for (const [level, { white, black }] of byLevels(nodes, (node) => reasons.has(node)).entries()) {
    for (const { output } of black) for (const name of output) if (!declared.has(name)) boxOf.set(name, level);
    const names = (some: readonly NodeProto[]) => some.flatMap((node) => [...readNames(node)]);
    const found =
      names(white.filter(({ opType }) => opType !== 'ZipMap')).find((name) => boxOf.has(name)) ??
      names(black).find((name) => (boxOf.get(name) ?? level) !== level);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the nodes whose results reach a custom operator, directly or through other nodes. All
 * values on the way are undeclared.
 */
function beforeCustoms(
  nodes: readonly NodeProto[],
  customs: ReadonlySet<NodeProto>,
  declared: ReadonlySet<string>,
): ReadonlySet<NodeProto> {
  const before = new Set<NodeProto>();
  const needed = new Set<string>();
  for (const node of nodes.toReversed()) {
    const isBefore = node.output.some((name) => needed.has(name));
    if (isBefore) before.add(node);
    if (!isBefore && !customs.has(node)) continue;
    for (const name of readNames(node)) if (!declared.has(name)) needed.add(name);
  }
  return before;
}

/**
 * Adds the nodes that read a value of an unsupported node, then the nodes that read a value of an
 * added node, and so on. Follows only values for which `isOpen` returns true. Never adds a ZipMap,
 * which Brezel always converts itself, or a node of a custom operator.
 */
function withReaders(
  { node: nodes }: GraphProto,
  reasons: Reasons,
  customs: ReadonlySet<NodeProto>,
  isOpen: (name: string) => boolean,
  why: (name: string) => string,
): Reasons {
  const open = new Set<string>();
  const all = new Map<NodeProto, string>();
  for (const node of nodes) {
    const isNeverAdded = node.opType === 'ZipMap' || customs.has(node);
    const from = isNeverAdded ? undefined : [...readNames(node)].find((name) => open.has(name));
    const reason = reasons.get(node) ?? (from === undefined ? undefined : why(from));
    if (reason === undefined) continue;
    all.set(node, reason);
    for (const name of node.output) if (isOpen(name)) open.add(name);
  }
  return all;
}

/**
 * Returns whether a black box reads a value that another black box computes and for which the file
 * declares no type.
 */
function crossesBoxes({ node: nodes }: GraphProto, reasons: Reasons, declared: ReadonlySet<string>): boolean {
  const boxOf = new Map<string, number>();
  return byLevels(nodes, (node) => reasons.has(node)).some(({ black }, level) => {
    for (const { output } of black) for (const name of output) if (!declared.has(name)) boxOf.set(name, level);
    return black.some((node) => [...readNames(node)].some((name) => (boxOf.get(name) ?? level) !== level));
  });
}
