import { runtimeError } from '@brezel/runtime';
import type { FetchArguments } from './model.js';
import type { TensorLike } from './tensor.js';
import type { Results, RunOptions, ValueMetadata } from './types.js';

/** The outputs that a run returns, and the tensors that receive elements. */
interface Fetched {
  readonly names: readonly string[];
  readonly targets: ReadonlyMap<string, TensorLike>;
  readonly options: RunOptions;
}

/**
 * Reads the arguments of `run` after the feeds. As in onnxruntime, an object whose keys are outputs
 * selects outputs, and any other object holds options.
 *
 * @throws ERR_RUNTIME_OUTPUT for an unknown output
 */
export function fetchesOf(outputs: readonly ValueMetadata[], [first, second]: FetchArguments): Fetched {
  const isOutput = (name: string) => outputs.some((port) => port.name === name);
  const targets = new Map<string, TensorLike>();
  if (Array.isArray(first)) {
    const unknown = first.findIndex((name) => typeof name !== 'string' || !isOutput(name));
    if (unknown >= 0 || first.length === 0) throw unknownOutput(outputs, first[unknown]);
    return { names: first, targets, options: second ?? {} };
  }
  const chosen = Object.entries(first ?? {}).filter(
    ([name, value]) => isOutput(name) && (value === null || typeof value === 'object'),
  ) as [string, TensorLike | null][];
  if (chosen.length === 0) {
    const names = outputs.filter(({ isTensor }) => isTensor).map(({ name }) => name);
    return { names, targets, options: (first as RunOptions | undefined) ?? second ?? {} };
  }
  for (const [name, value] of chosen) if (value !== null) targets.set(name, value);
  return { names: chosen.map(([name]) => name), targets, options: second ?? {} };
}

const unknownOutput = (outputs: readonly ValueMetadata[], received: unknown) =>
  runtimeError('ERR_RUNTIME_OUTPUT', {
    expected: `names of outputs: ${outputs.map(({ name }) => name).join(', ')}`,
    received: received === undefined ? 'an empty list' : JSON.stringify(received),
    at: 'fetches',
  });

/** Copies results into the tensors of the caller. @throws ERR_RUNTIME_OUTPUT unless they fit. */
export function withFetched(results: Results, targets: ReadonlyMap<string, TensorLike>): Results {
  if (targets.size === 0) return results;
  const entries = Object.entries(results).map(([name, result]) => {
    const target = targets.get(name);
    if (target === undefined) return [name, result];
    const { type, dims } = target;
    if (type !== result.type || dims.length !== result.dims.length || dims.some((size, at) => size !== result.dims[at]))
      throw runtimeError('ERR_RUNTIME_OUTPUT', {
        expected: `a tensor ${result.type}[${result.dims}]`,
        received: `${type}[${dims}]`,
        at: `fetches "${name}"`,
      });
    const data = target.data as { [index: number]: unknown };
    for (let index = 0; index < result.data.length; index++) data[index] = result.data[index];
    return [name, target];
  });
  return Object.fromEntries(entries) as Results;
}
