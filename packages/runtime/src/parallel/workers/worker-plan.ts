import type { CompiledPlan } from '@brezel/core';
import type { ObjectStore, SharedParameter } from '@brezel/object-store';
import type { Column } from '../../execute/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { PlanPayload } from './protocol.js';

/** The worker module and how workers load the operators of plans. */
export interface WorkerParts {
  /** Module whose `answerTask` answers a `WorkerTask`. */
  readonly worker: URL;
  /** The largest JavaScript heap of a thread, in bytes. Default: the limit of Node. */
  readonly heapBytes?: number | undefined;
  /** Modules that define operators, as URLs. */
  readonly modules: readonly string[];
  /** Whether the addon may run stages on workers, and with which instruction set. */
  readonly native: boolean;
  readonly isa: string | undefined;
}

/** How workers load plans. */
export interface WorkerSetting extends Pick<WorkerParts, 'modules' | 'native' | 'isa'> {
  readonly store: ObjectStore;
}

/**
 * Returns a plan as it is sent to a worker. @param gone the flag that becomes 1 when the plan is
 * removed.
 */
export function workerPlan(
  { name, compiled, maxInputBytes }: ServedPlan,
  { store, modules, native, isa }: WorkerSetting,
  gone: Int32Array,
): PlanPayload {
  const plain = plainPlan(compiled);
  const parameters = plain.parameters.map((id) => store.share(id) ?? copyOf(store, id));
  const isNativeMemory = store.memory.kind === 'native';
  return { name, compiled: plain, parameters, isNativeMemory, maxInputBytes, modules, native, isa, gone };
}

/** Returns a copy of a parameter from a store whose memory threads cannot share. */
const copyOf = (store: ObjectStore, id: string): SharedParameter => ({
  ...store.info(id),
  shared: store.bytes(id).slice(),
});

/** Copies only the known fields, because the plan may have further fields that cannot be cloned. */
const plainPlan = ({
  version,
  name,
  inputs,
  outputs,
  stages,
  parameters,
  width,
  nanosPerRow,
}: CompiledPlan): CompiledPlan => ({ version, name, inputs, outputs, stages, parameters, width, nanosPerRow });

/** Copies bytes of texts, because cloning would send the whole pool that contains them. */
export const withOwnBytes = (column: Column): Column =>
  Array.isArray(column) && column.some((value) => value instanceof Uint8Array)
    ? (column.map((value) => (value instanceof Uint8Array ? value.slice() : value)) as Column)
    : column;
