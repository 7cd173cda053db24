import { runtimeError } from '@brezel/runtime';
import { describe } from './feeds.js';
import type { FetchArguments } from './model.js';
import type { Tensor, TensorLike } from './tensor.js';
import { isDataOf } from './tensor-types.js';
import type { Results, RunOptions, ValueMetadata } from './types.js';

/**
 * The checked arguments of a call of `run`: the names of the outputs to return, the caller's
 * tensors that receive elements, and the options. `names` is undefined if the caller wants all
 * outputs that are tensors.
 */
interface Fetched {
  readonly names: readonly string[] | undefined;
  readonly targets: ReadonlyMap<string, TensorLike>;
  readonly options: RunOptions;
}

/**
 * Reads the arguments of `run` that follow the feeds. As in onnxruntime, an object selects outputs
 * if one of its keys is the name of an output. Any other object holds options.
 *
 * @throws ERR_RUNTIME_OUTPUT for an unknown output or an empty list, and for an argument that is
 * neither a list nor an object
 */
export function fetchesOf(outputs: readonly ValueMetadata[], [first, second]: FetchArguments): Fetched {
  const isOutput = (name: string) => outputs.some((port) => port.name === name);
  const targets = new Map<string, TensorLike>();
  if (Array.isArray(first)) {
    const unknown = first.findIndex((name) => typeof name !== 'string' || !isOutput(name));
    if (unknown >= 0 || first.length === 0) throw unknownOutput(outputs, first[unknown]);
    return { names: first, targets, options: second ?? {} };
  }
  if (first === null || (first !== undefined && typeof first !== 'object')) throw unknownOutput(outputs, first);
  const chosen = Object.entries(first ?? {}).filter(
    ([name, value]) => isOutput(name) && (value === null || typeof value === 'object'),
  ) as [string, TensorLike | null][];
  if (chosen.length === 0)
    return { names: undefined, targets, options: (first as RunOptions | undefined) ?? second ?? {} };
  for (const [name, value] of chosen) if (value !== null) targets.set(name, value);
  return { names: chosen.map(([name]) => name), targets, options: second ?? {} };
}

const unknownOutput = (outputs: readonly ValueMetadata[], received: unknown) =>
  runtimeError('ERR_RUNTIME_OUTPUT', {
    expected: `names of outputs: ${outputs.map(({ name }) => name).join(', ')}`,
    received:
      received === undefined ? 'an empty list' : typeof received === 'string' ? `"${received}"` : String(received),
    at: 'fetches',
  });

/**
 * Copies results into the tensors of the caller. Checks all tensors before the first copy.
 *
 * @throws ERR_RUNTIME_OUTPUT if a tensor differs from its result in type or shape.
 */
export function withFetched(results: Results, targets: ReadonlyMap<string, TensorLike>): Results {
  if (targets.size === 0) return results;
  const entries = Object.entries(results);
  for (const [name, result] of entries) checkTarget(name, targets.get(name), result);
  const filled = entries.map(([name, result]) => {
    const target = targets.get(name);
    if (target === undefined) return [name, result];
    const data = target.data as { [index: number]: unknown };
    for (let index = 0; index < result.data.length; index++) data[index] = result.data[index];
    return [name, target];
  });
  return Object.fromEntries(filled) as Results;
}

function checkTarget(name: string, target: TensorLike | undefined, { type, dims, size }: Tensor): void {
  if (target === undefined) return;
  const fail = (expected: string, received: string) =>
    runtimeError('ERR_RUNTIME_OUTPUT', { expected, received, at: `fetches "${name}"` });
  const { type: theirType, dims: theirs, data } = target;
  const fits = Array.isArray(theirs) && theirs.length === dims.length && dims.every((one, at) => one === theirs[at]);
  if (theirType !== type || !fits) throw fail(`a tensor ${type}[${dims}]`, `${theirType}[${theirs}]`);
  if (!isDataOf(type, data)) throw fail(`data of ${type}`, describe(data));
  const { length } = data as ArrayLike<unknown>;
  if (length !== size) throw fail(`${size} elements`, `${length}`);
}
