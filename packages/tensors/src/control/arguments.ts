import type { NodeCall, TensorBody } from '../executable.js';
import type { Tensor, TensorValue } from '../tensor.js';

// What control flow reads of a node, checked.

/** The subgraph under an attribute. */
export function bodyOf(call: NodeCall, name: string): TensorBody {
  const body = Object.hasOwn(call.bodies, name) ? call.bodies[name] : undefined;
  if (body === undefined) throw call.fault(`no subgraph "${name}"`);
  return body;
}

export function given(value: TensorValue | undefined, at: number, call: NodeCall): TensorValue {
  if (value !== undefined) return value;
  throw call.fault(`no input ${at}`);
}

/** A value that cannot be a sequence here. */
export function tensorOf(value: TensorValue | undefined, call: NodeCall): Tensor {
  if (value !== undefined && value.element !== 'sequence') return value;
  throw call.fault(`${value === undefined ? 'nothing' : 'a sequence'} where a tensor belongs`);
}

/** The only element of a bool tensor. */
export function flag(value: TensorValue | undefined, what: string, call: NodeCall): boolean {
  if (value?.element === 'bool' && value.data.length === 1) return value.data[0] !== 0;
  throw call.fault(`${what} that is ${describe(value)}`, `${what} is one bool`);
}

/** What a value is, for errors. */
export function describe(value: TensorValue | undefined): string {
  if (value === undefined) return 'missing';
  return value.element === 'sequence' ? 'a sequence' : `${value.element}[${value.shape}]`;
}
