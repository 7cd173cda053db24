import type { KernelCall, Step, ValueType } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';

/**
 * Computes two checksums of a stage. `program` depends on operators, attributes, types and kernels.
 * `key` also depends on the parameters.
 *
 * Plans of a process share the stages that have equal keys.
 */
export function stageIdentity(
  store: ObjectStore,
  inputs: readonly ValueType[],
  steps: readonly Step[],
  outputs: readonly number[],
  calls: readonly KernelCall[] | undefined,
): { program: string; key: string } {
  const shape = {
    inputs,
    outputs,
    steps: steps.map(({ operator, version, attributes, inputs, type }) => [
      operator,
      version,
      attributes,
      inputs,
      type,
    ]),
    calls:
      calls?.map(({ kernel, inputs, output, attributes, steps }) => [kernel, inputs, output, attributes, steps]) ??
      null,
  };
  const program = checksumOf(store, shape);
  const parameters = [
    ...steps.map((step) => Object.entries(step.parameters).sort()),
    ...(calls ?? []).map((call) => call.parameters),
  ];
  return { program, key: checksumOf(store, [program, parameters]) };
}

const encoder = new TextEncoder();

const checksumOf = (store: ObjectStore, value: unknown): string =>
  store.checksumOf(encoder.encode(JSON.stringify(value)));
