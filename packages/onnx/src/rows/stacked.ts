import { makeNode } from '../proto/make.js';
import type { NodeProto } from '../proto/schema.js';

/** The functions of the importer that `stack` and `unsqueeze` use. */
export interface AxisHost {
  readonly opset: number;
  convert(node: NodeProto): void;
}

/** Adds axes of size 1 to the value `from`, and defines the result as `to`. */
export function unsqueeze(from: string, to: string, axes: readonly number[], host: AxisHost): void {
  unsqueezeAll([[from, to]], to, axes, host);
}

/**
 * Adds the same axes of size 1 to several values. The name of the constant with the axes starts
 * with `prefix`.
 */
function unsqueezeAll(
  values: readonly (readonly [from: string, to: string])[],
  prefix: string,
  axes: readonly number[],
  host: AxisHost,
): void {
  const isAttribute = host.opset < 13;
  const constant = isAttribute ? '' : axesOf(prefix, axes, host);
  for (const [from, to] of values)
    host.convert(
      isAttribute
        ? makeNode('Unsqueeze', [from], [to], { axes: { ints: axes } })
        : makeNode('Unsqueeze', [from, constant], [to]),
    );
}

/** Adds a constant that contains axes to the graph, and returns its name. */
export function axesOf(name: string, axes: readonly number[], host: AxisHost): string {
  const constant = `${name}/axes`;
  host.convert(makeNode('Constant', [], [constant], { value_ints: { ints: axes } }));
  return constant;
}

/**
 * Joins values along a new axis, and defines the result as `to`. A negative axis counts from the
 * last one.
 */
export function stack(from: readonly string[], to: string, axis: number, host: AxisHost): void {
  const parts = from.map((_, at) => `${to}/${at}`);
  const values = from.map((name, at) => [name, parts[at]!] as const);
  unsqueezeAll(values, to, [axis], host);
  host.convert(makeNode('Concat', parts, [to], { axis: { i: axis } }));
}
