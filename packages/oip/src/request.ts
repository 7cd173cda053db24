import { type Datatype, datatypes, type Elements } from './datatypes.js';
import { protocolError } from './errors.js';
import { shown } from './shown.js';

/** A tensor of a request. */
export interface InputTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly elements: Elements;
}

/** A request of the Open Inference Protocol. */
export interface InferenceRequest<Output extends { readonly name: string } = { readonly name: string }> {
  readonly id: string | undefined;
  readonly deadlineMs: number | undefined;
  /** The key that selects the version during a canary. */
  readonly key: string | number | undefined;
  readonly inputs: readonly InputTensor[];
  /** The outputs to return. If undefined, the response contains all outputs. */
  readonly outputs: readonly Output[] | undefined;
}

/**
 * The largest number of axes of a tensor in a request. A request with more axes is rejected. Models
 * have far fewer axes.
 */
const MAX_AXES = 32;

/**
 * Checks the shape of a tensor in a request.
 * @throws a ProtocolError of kind REQUEST
 */
export function checkedShape(shape: readonly unknown[], at: string): readonly number[] {
  const isSize = (size: unknown) => Number.isSafeInteger(size) && (size as number) >= 0;
  if (shape.length > MAX_AXES) throw wrongRequest(`at most ${MAX_AXES} axes`, shape.length, `${at}.shape`);
  for (const size of shape) if (!isSize(size)) throw wrongRequest('sizes from 0 to 2^53', size, `${at}.shape`);
  return shape as readonly number[];
}

/**
 * Returns a datatype by its name.
 * @throws a ProtocolError of kind REQUEST
 */
export function datatypeNamed(name: unknown, at: string): Datatype {
  const datatype = typeof name === 'string' ? datatypes.get(name) : undefined;
  if (datatype !== undefined) return datatype;
  throw wrongRequest([...datatypes.keys()].join(', '), name, `${at}.datatype`);
}

/**
 * Checks that all tensors of a list have different names.
 * @throws a ProtocolError of kind REQUEST
 */
export function checkDistinct(tensors: readonly { readonly name: string }[], at: string): void {
  const names = new Set<string>();
  for (const { name } of tensors) {
    if (names.has(name)) throw protocolError('REQUEST', { received: `"${name}" twice`, at });
    names.add(name);
  }
}

/**
 * Reads the deadline and the canary key from the parameters of a request.
 * @throws a ProtocolError of kind REQUEST
 */
export function requestParameters({
  deadline_ms: deadlineMs,
  key,
}: Readonly<Record<string, unknown>>): Pick<InferenceRequest, 'deadlineMs' | 'key'> {
  if (deadlineMs !== undefined && !(typeof deadlineMs === 'number' && deadlineMs > 0))
    throw wrongRequest('milliseconds above 0', deadlineMs, 'parameters.deadline_ms');
  if (key !== undefined && typeof key !== 'string' && typeof key !== 'number')
    throw wrongRequest('a text or a number', key, 'parameters.key');
  return { deadlineMs, key };
}

/** Returns the error for a field of a request that has a wrong value. */
export const wrongRequest = (expected: string, value: unknown, at: string) =>
  protocolError('REQUEST', { expected, received: shown(value), at });
