import { makeNode } from '../proto/make.js';
import type { GraphProto, NodeProto } from '../proto/schema.js';
import { constantOf, plainConstant } from './constant.js';
import { passOn } from './loop.js';
import { type EntriesHost, mapConstantEntries } from './scan-constants.js';
import { stack } from './stacked.js';
import { type BodyHost, UnrolledBody } from './unrolled-body.js';

/** The functions of the importer that `convertScan` uses. */
export type ScanHost = BodyHost & EntriesHost;

/**
 * Converts a Scan. If only constants are scanned and no state changes, the body runs once for all
 * entries. Otherwise the body is converted once for each entry.
 *
 * @param ofAll functions of the importer for nodes that run once for all entries.
 * @returns the name of the strategy.
 * @throws the error of `host.refuse` for a Scan along the axis that counts the rows.
 */
export function convertScan(scan: NodeProto, host: ScanHost, ofAll: EntriesHost): string {
  if (mapConstantEntries(scan, ofAll)) return 'scan over constants';
  unrollScan(scan, host);
  return 'unrolled scan';
}

/**
 * A scanned input: its name, the axis of its entries, and whether Scan starts with the last entry.
 */
interface Scanned {
  readonly name: string;
  readonly axis: number;
  readonly isBackward: boolean;
}

function unrollScan(scan: NodeProto, host: ScanHost): void {
  const { body: graph, stateCount } = partsOf(scan, host);
  const [inputAxes, inputDirections, outputAxes, outputDirections] = [
    'scan_input_axes',
    'scan_input_directions',
    'scan_output_axes',
    'scan_output_directions',
  ].map((name) => Array.from(scan.attribute.find((one) => one.name === name)?.ints ?? [], Number));
  const scanned = scan.input.slice(stateCount).map((name, at): Scanned => {
    const rank = host.rank(name) ?? 0;
    const axis = inputAxes![at] ?? 0;
    return { name, axis: axis < 0 ? axis + rank : axis, isBackward: inputDirections![at] === 1 };
  });
  const lengths = scanned.map((one) => lengthOf(one, host));
  const length = lengths[0]!;
  if (length === 0 || lengths.some((other) => other !== length))
    throw host.refuse(`inputs of ${lengths.join(', ')} entries`);
  const prefix = scan.output.find((name) => name !== '') ?? '';
  const body = new UnrolledBody(graph, prefix, host);
  const collected: string[][] = graph.output.slice(stateCount).map(() => []);
  const stacked = scan.output.slice(stateCount).filter((name) => name !== '');
  body.requireRoom(length, scanned.length + stacked.length);
  let states = scan.input.slice(0, stateCount);
  for (let iteration = 0; iteration < length; iteration++) {
    const entries = scanned.map((one, at) => {
      const entry = `${prefix} entry ${iteration} of ${at}`;
      slice(one, one.isBackward ? length - 1 - iteration : iteration, entry, host);
      return entry;
    });
    const results = body.iterate([...states, ...entries]);
    states = results.slice(0, stateCount);
    collected.forEach((list, at) => list.push(results[stateCount + at]!));
  }
  scan.output.forEach((name, at) => {
    if (name === '') return;
    if (at < stateCount) return passOn(states[at]!, name, host);
    const output = at - stateCount;
    const list = outputDirections![output] === 1 ? collected[output]!.toReversed() : collected[output]!;
    stack(list, name, outputAxes![output] ?? 0, host);
  });
}

function partsOf(scan: NodeProto, host: ScanHost): { body: GraphProto; stateCount: number } {
  const body = scan.attribute.find(({ name }) => name === 'body')?.g;
  const scanned = Number(scan.attribute.find(({ name }) => name === 'num_scan_inputs')?.i ?? 0n);
  const stateCount = scan.input.length - scanned;
  if (host.opset < 9) throw host.refuse('a batch axis, as in operator set 8');
  const isWhole = body !== undefined && body.input.length === scan.input.length && scanned > 0 && stateCount >= 0;
  if (!isWhole || body.output.length < Math.max(stateCount, scan.output.length))
    throw host.refuse('a body whose inputs and outputs do not match its node');
  return { body, stateCount };
}

/**
 * Returns the number of entries of a scanned input. Throws the error of `host.refuse` if the rows
 * are its entries.
 */
function lengthOf({ name, axis }: Scanned, host: ScanHost): number {
  const value = host.value(name);
  const dims = value?.kind === 'constant' ? value.tensor.shape : value?.dims;
  const size = dims?.[axis];
  if (size === undefined) throw host.refuse(`no axis ${axis} of "${name}"`);
  const isUnknown = value?.kind === 'constant' && value.byRows !== undefined && value.batch === undefined;
  if ((isUnknown || value?.batch?.axis === axis) && !host.isFixed) throw host.refuse('rows as entries');
  return size;
}

/** Selects one entry along an axis, and defines it as the value `to` without this axis. */
function slice({ name, axis }: Scanned, entry: number, to: string, host: ScanHost): void {
  const index = `${to} index`;
  const number = { element: 'int64', shape: [], data: BigInt64Array.of(BigInt(entry)) } as const;
  host.define(index, plainConstant(constantOf(number), 'int64'));
  host.convert(makeNode('Gather', [name, index], [to], { axis: { i: axis } }));
}
