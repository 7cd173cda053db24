import { makeAttribute, makeNode } from '../proto/make.js';
import type { GraphProto, NodeProto } from '../proto/schema.js';
import { reductions } from './rules/along-axes.js';
import { elementwiseRule } from './rules/index.js';
import { type AxisHost, axesOf, unsqueeze } from './stacked.js';

/**
 * The functions of the importer that `mapConstantEntries` uses to convert a Scan over constants.
 */
export interface EntriesHost extends AxisHost {
  /**
   * Returns the number of axes of a constant. Returns undefined for a value that depends on the
   * row.
   */
  constantRank(name: string): number | undefined;
  /** Returns the number of axes of a value, or undefined if it is unknown. */
  rank(name: string): number | undefined;
  /** Adds the initializers of the body to the graph, under the names that `rename` returns. */
  defineInitializers(body: GraphProto, rename: (name: string) => string): void;
  /** Returns the integers of a constant. Returns an empty list if the node omits the input. */
  integers(name: string | undefined): number[];
}

/**
 * Converts a Scan over the entries of constants if its state never changes. Exporters write the
 * distances to all training rows in this way. Converts each node of the body so that it runs only
 * once: on all entries, along a new first axis.
 *
 * @returns false for any other Scan. It converts no node of such a Scan.
 */
export function mapConstantEntries(scan: NodeProto, host: EntriesHost): boolean {
  const parts = constantParts(scan, host);
  if (parts === undefined) return false;
  const { body, entries } = parts;
  const prefix = `${scan.output.find((name) => name !== '') ?? ''}/body/`;
  const names = new Map<string, string>();
  body.input.forEach(({ name }, at) => names.set(name, scan.input[at]!));
  const rename = (name: string) => names.get(name) ?? name;
  const own = (name: string) => (name === '' ? '' : `${prefix}${name}`);
  for (const { name } of body.initializer) names.set(name, own(name));
  host.defineInitializers(body, rename);
  // The number of axes of each value that depends on the entry, without the new first axis.
  const ranks = new Map<string, number>();
  for (const name of entries) ranks.set(rename(name), host.constantRank(rename(name))! - 1);
  for (const node of body.node) {
    const renamed = { ...node, input: node.input.map(rename), output: node.output.map(own) };
    node.output.forEach((name) => names.set(name, own(name)));
    convertForAll(renamed, ranks, host);
  }
  body.output.forEach(({ name }, at) => {
    const to = scan.output[at] ?? '';
    if (to !== '') host.convert(makeNode('Identity', [rename(name)], [to]));
  });
  return true;
}

/**
 * Returns the body of a Scan and the names of its scanned inputs. Returns undefined if the body
 * cannot run once for all entries.
 */
function constantParts(scan: NodeProto, host: EntriesHost): { body: GraphProto; entries: string[] } | undefined {
  const attribute = (name: string) => scan.attribute.find((attribute) => attribute.name === name);
  const body = attribute('body')?.g;
  const scanned = Number(attribute('num_scan_inputs')?.i ?? 0n);
  const others = scan.attribute.filter(
    ({ name, ints }) => Array.from(ints, Number).some((value) => value !== 0) && name !== 'num_scan_inputs',
  );
  if (body === undefined || host.opset < 9 || others.length > 0 || body.input.length !== scan.input.length)
    return undefined;
  const names = body.input.map(({ name }) => name);
  const states = names.slice(0, names.length - scanned);
  const entries = names.slice(names.length - scanned);
  const ranks = scan.input.slice(states.length).map((name) => host.constantRank(name));
  if (scanned === 0 || !ranks.every((rank) => rank !== undefined && rank > 0)) return undefined;
  return keepsEntriesApart(body, states, entries) ? { body, entries } : undefined;
}

/**
 * Returns whether the body of a Scan can run once for all entries: no state changes, every other
 * output depends on an entry, and every node that depends on an entry computes each entry
 * separately.
 */
function keepsEntriesApart(body: GraphProto, states: readonly string[], entries: readonly string[]): boolean {
  const mapped = new Set(entries);
  for (const { domain: given, opType, input, output, attribute } of body.node) {
    if (attribute.some(({ g }) => g !== undefined)) return false;
    if (!input.some((name) => mapped.has(name))) continue;
    const domain = given === 'ai.onnx' ? '' : given;
    const isReduction = domain === '' && reductions.includes(opType) && mapped.has(input[0]!);
    if (opType !== 'Identity' && elementwiseRule(domain, opType) === undefined && !isReduction) return false;
    for (const name of output) mapped.add(name);
  }
  const originOf = passedOn(body);
  return body.output.every(({ name }, at) => (at < states.length ? originOf(name) === states[at] : mapped.has(name)));
}

/**
 * Returns a function that follows chains of Identity nodes: for the name of a result, it returns
 * the name of the value that the first node of the chain reads. It returns other names unchanged.
 * The nodes must be in execution order.
 */
function passedOn({ node: nodes }: GraphProto): (name: string) => string {
  const origins = new Map<string, string>();
  const originOf = (name: string) => origins.get(name) ?? name;
  for (const { opType, input, output } of nodes)
    if (opType === 'Identity') origins.set(output[0] ?? '', originOf(input[0] ?? ''));
  return originOf;
}

/**
 * Converts a node of the body so that it runs on all entries together. The entries are along a new
 * first axis, so the axes in its attributes increase by one.
 */
function convertForAll(node: NodeProto, ranks: Map<string, number>, host: EntriesHost): void {
  const isMapped = node.input.some((name) => ranks.has(name));
  if (!isMapped) return host.convert(node);
  const domain = node.domain === 'ai.onnx' ? '' : node.domain;
  const rankOf = (name: string) => ranks.get(name) ?? host.rank(name) ?? 0;
  if (node.opType === 'Identity' || elementwiseRule(domain, node.opType) !== undefined) {
    const rank = Math.max(...node.input.filter((name) => name !== '').map(rankOf));
    const input = node.input.map((name) => (ranks.has(name) ? widened(name, rank, ranks, host) : name));
    host.convert({ ...node, input });
    for (const name of node.output) ranks.set(name, rank);
    return;
  }
  const rank = ranks.get(node.input[0]!)!;
  convertReduction(node, rank, ranks, host);
}

/**
 * Adds axes of size 1 after the first axis of a value until it has `rank` axes, so that ONNX
 * broadcasts it as in the body. Returns the name of the result.
 */
function widened(name: string, rank: number, ranks: ReadonlyMap<string, number>, host: EntriesHost): string {
  const missing = rank - ranks.get(name)!;
  if (missing === 0) return name;
  const wide = `${name}/of ${rank}`;
  if (host.rank(wide) !== undefined) return wide;
  const shape = Array.from({ length: missing }, (_, at) => at + 1);
  unsqueeze(name, wide, shape, host);
  return wide;
}

function convertReduction(node: NodeProto, rank: number, ranks: Map<string, number>, host: EntriesHost): void {
  const axesAttribute = node.attribute.find(({ name }) => name === 'axes');
  const keepdims = node.attribute.find(({ name }) => name === 'keepdims');
  const keeps = keepdims === undefined || keepdims.i === 1n;
  const axes = axesAttribute === undefined ? host.integers(node.input[1]) : Array.from(axesAttribute.ints, Number);
  const all = axes.length === 0 ? Array.from({ length: rank }, (_, axis) => axis) : axes;
  const shifted = all.map((axis) => (axis < 0 ? axis + rank : axis) + 1);
  const others = node.attribute.filter(({ name }) => name !== 'axes');
  const isInput = axesAttribute === undefined && node.input[1] !== undefined;
  host.convert(
    isInput
      ? { ...node, input: [node.input[0]!, axesOf(node.output[0]!, shifted, host)] }
      : { ...node, attribute: [...others, makeAttribute('axes', { ints: shifted })] },
  );
  for (const name of node.output) ranks.set(name, keeps ? rank : rank - new Set(shifted).size);
}
