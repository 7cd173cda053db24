import { makeNode } from '../proto/make.js';
import type { NodeProto } from '../proto/schema.js';

/** The importer functions that add a new axis to a value. */
export interface AxisHost {
  readonly opset: number;
  convert(node: NodeProto): void;
}

/** Adds axes of size 1 to a value. */
export function unsqueeze(from: string, to: string, axes: readonly number[], host: AxisHost): void {
  unsqueezeAll([[from, to]], to, axes, host);
}

/** Adds the same axes of size 1 to several values. `prefix` starts the name of a new constant. */
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

/** Adds a constant that holds axes to the graph and returns its name. */
export function axesOf(name: string, axes: readonly number[], host: AxisHost): string {
  const constant = `${name}/axes`;
  host.convert(makeNode('Constant', [], [constant], { value_ints: { ints: axes } }));
  return constant;
}

/** Stacks values along a new axis, which may be negative. */
export function stack(from: readonly string[], to: string, axis: number, host: AxisHost): void {
  const parts = from.map((_, at) => `${to}/${at}`);
  const values = from.map((name, at) => [name, parts[at]!] as const);
  unsqueezeAll(values, to, [axis], host);
  host.convert(makeNode('Concat', parts, [to], { axis: { i: axis } }));
}
