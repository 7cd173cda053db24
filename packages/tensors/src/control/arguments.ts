import type { NodeCall, TensorBody } from '../executable.js';
import type { Tensor, TensorValue } from '../tensor.js';

// Checked inputs and attributes of control-flow nodes.

/** Returns the subgraph in the attribute `name` of a node. */
export function bodyOf(call: NodeCall, name: string): TensorBody {
  const body = Object.hasOwn(call.bodies, name) ? call.bodies[name] : undefined;
  if (body === undefined) throw call.fault(`no subgraph '${name}'`, `the subgraph '${name}'`);
  return body;
}

export function given(value: TensorValue | undefined, at: number, call: NodeCall): TensorValue {
  if (value !== undefined) return value;
  throw call.fault(`no input ${at}`, `a value as input ${at}`);
}

/** Returns a value as a tensor. Throws for a sequence. */
export function tensorOf(value: TensorValue | undefined, call: NodeCall): Tensor {
  if (value !== undefined && value.element !== 'sequence') return value;
  throw call.fault(value === undefined ? 'no value' : 'a sequence', 'a tensor');
}

/** Returns the only element of a bool tensor. */
export function flag(value: TensorValue | undefined, what: string, call: NodeCall): boolean {
  if (value?.element === 'bool' && value.data.length === 1) return value.data[0] !== 0;
  throw call.fault(`${what} that is ${describe(value)}`, `one bool as ${what}`);
}

/** Returns a short description of a value for error messages. */
export function describe(value: TensorValue | undefined): string {
  if (value === undefined) return 'missing';
  return value.element === 'sequence' ? 'a sequence' : `${value.element}[${value.shape}]`;
}
