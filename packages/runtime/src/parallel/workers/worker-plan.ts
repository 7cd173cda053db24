import type { CompiledPlan } from '@brezel/core';
import type { ObjectStore, SharedParameter } from '@brezel/object-store';
import type { Column } from '../../execute/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { PlanPayload } from './protocol.js';

/** What workers are, and how they get the operators of plans. */
export interface WorkerParts {
  /** Module whose `answerTask` answers a `WorkerTask`. */
  readonly worker: URL;
  /** Most bytes of a thread's JavaScript heap. Default: Node's own. */
  readonly heapBytes?: number | undefined;
  /** Modules that define operators, as URLs. */
  readonly modules: readonly string[];
  /** Whether the addon may run stages there, and by which instruction set. */
  readonly native: boolean;
  readonly isa: string | undefined;
}

/** How workers get plans. */
export interface WorkerSetting extends Pick<WorkerParts, 'modules' | 'native' | 'isa'> {
  readonly store: ObjectStore;
}

/** A plan as it is sent to a worker. @param gone says there when the plan is gone. */
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

/** Of a store whose memory threads cannot share. */
const copyOf = (store: ObjectStore, id: string): SharedParameter => ({
  ...store.info(id),
  shared: store.bytes(id).slice(),
});

/** Whoever registered the plan may have put more into it, which cannot be sent. */
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

/** Bytes of a text are often a part of a pool, all of which would be sent along. */
export const withOwnBytes = (column: Column): Column =>
  Array.isArray(column) && column.some((value) => value instanceof Uint8Array)
    ? (column.map((value) => (value instanceof Uint8Array ? value.slice() : value)) as Column)
    : column;
