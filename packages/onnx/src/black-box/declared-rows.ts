import type { DType } from '@brezel/core';
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
 * @param reasons why a node is unsupported.
 */
export function withUndeclaredReaders(graph: GraphProto, reasons: Reasons): Reasons {
  const { output, valueInfo } = graph;
  const declared = new Set(
    [...output, ...valueInfo].flatMap((value) => (declaredRow(value) === undefined ? [] : value.name)),
  );
  const readers = withReaders(
    graph,
    reasons,
    (name) => !declared.has(name),
    (name) => `it reads "${name}", whose sizes the file does not declare`,
  );
  if (!crossesBoxes(graph, readers, declared)) return readers;
  return withReaders(
    graph,
    readers,
    () => true,
    (name) => `it reads "${name}", and sizes that go from box to box are not declared`,
  );
}

type Reasons = ReadonlyMap<NodeProto, string>;

/**
 * Adds the nodes that read a value of an unsupported node, then the nodes that read a value of an
 * added node, and so on. Only values count for which `isOpen` returns true. Never adds a ZipMap,
 * which Brezel always converts itself.
 */
function withReaders(
  { node: nodes }: GraphProto,
  reasons: Reasons,
  isOpen: (name: string) => boolean,
  why: (name: string) => string,
): Reasons {
  const open = new Set<string>();
  const all = new Map<NodeProto, string>();
  for (const node of nodes) {
    const from = node.opType === 'ZipMap' ? undefined : [...readNames(node)].find((name) => open.has(name));
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
