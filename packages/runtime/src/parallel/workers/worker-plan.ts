import type { CompiledPlan } from '@brezel/core';
import type { ObjectStore, SharedParameter } from '@brezel/object-store';
import type { Column } from '../../execute/rows/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { PlanPayload } from './protocol.js';

/**
 * The settings of the threads of workers: their module, their heap limit, and how they run the
 * stages and operators of plans.
 */
export interface WorkerParts {
  /** The module whose `answerTask` answers a `WorkerTask`. */
  readonly worker: URL;
  /** The maximal JavaScript heap of a thread in bytes. Default: Node's limit. */
  readonly heapBytes?: number | undefined;
  /** URLs of the modules that define operators. */
  readonly modules: readonly string[];
  /** Whether the addon may run stages on workers. `isa` is the instruction set of its kernels. */
  readonly native: boolean;
  readonly isa: string | undefined;
}

/** The objects of a runtime from which `workerPlan` creates the form of a plan for workers. */
export interface WorkerSetting extends Pick<WorkerParts, 'modules' | 'native' | 'isa'> {
  readonly store: ObjectStore;
}

/**
 * Returns a plan in the form that is sent to a worker.
 * @param gone a flag in shared memory that becomes 1 when the plan is removed
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

/** Copies a parameter, for a store whose memory cannot be shared with other threads. */
const copyOf = (store: ObjectStore, id: string): SharedParameter => ({
  ...store.info(id),
  shared: store.bytes(id).slice(),
});

/**
 * Copies only the known fields of a plan, because a caller may have added fields that cannot be
 * sent to another thread.
 */
export const plainPlan = ({
  version,
  name,
  inputs,
  outputs,
  stages,
  parameters,
  width,
  nanosPerRow,
}: CompiledPlan): CompiledPlan => ({ version, name, inputs, outputs, stages, parameters, width, nanosPerRow });

/** Copies texts that are byte views, because sending a view would send its whole buffer. */
export const withOwnBytes = (column: Column): Column =>
  Array.isArray(column) && column.some((value) => value instanceof Uint8Array)
    ? (column.map((value) => (value instanceof Uint8Array ? value.slice() : value)) as Column)
    : column;
