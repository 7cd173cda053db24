import { printType, type ValueType } from './types.js';

/** The key of the method that `console.log` and `util.inspect` call to print an object. */
export const inspectKey: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** The parameters that `util.inspect` passes to the method of `inspectKey`. */
export type InspectParameters = [depth: number, options: object, inspect: (value: unknown, options: object) => string];

/**
 * Returns the text that `console.log` prints for an object: its class and a few public
 * fields, for example `Fleet { path: 'a.brezel', plans: ['churn'] }`.
 * Without this function, `console.log` would also print private fields and handles of the addon.
 */
export function inspectView(
  name: string,
  fields: Readonly<Record<string, unknown>>,
  [depth, options, inspect]: InspectParameters,
): string {
  return depth < 0 ? `[${name}]` : `${name} ${inspect(fields, options)}`;
}

/** Returns the types of inputs or outputs by name, in the form that `console.log` prints. */
export const portTypes = (ports: readonly { readonly name: string; readonly type: ValueType }[]) =>
  Object.fromEntries(ports.map(({ name, type }): [string, string] => [name, printType(type)]));
