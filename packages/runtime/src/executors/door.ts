import { runtimeError } from '../errors.js';
import type { NativeKernels } from '../native.js';
import { checkedExecutors } from '../register-options.js';
import type { PlanRecord } from '../registered-plan.js';
import { Executors } from './executors.js';
import { type PlanOnExecutors, runsOnExecutors } from './plan-on-executors.js';
import { type ExecutorStatistics, NO_EXECUTORS } from './statistics.js';

/** A batch of less work than this is answered on the calling thread: a way there and back takes a tenth of a millisecond. */
const PAYING_NANOS = 1e6;

/** What decides whether executors exist. */
export interface ExecutorParts {
  readonly native?: NativeKernels | undefined;
  readonly addon?: string | undefined;
  readonly executors?: number | undefined;
}

/** The executors of a runtime, where there are any, and who may go to them. */
export class ExecutorDoor {
  readonly #executors: Executors | undefined;

  constructor(executors: Executors | undefined) {
    this.#executors = executors;
  }

  /** Sets executors aside for a plan that is registered so. @throws ERR_RUNTIME_RESERVATION */
  reserve(record: PlanRecord): void {
    if (record.scheduling.reserve === undefined || this.plan(record) !== undefined) return;
    const cache = record.cached === undefined ? '' : ', with a cache';
    const received = this.#executors === undefined ? 'a runtime without executors' : `engine ${record.engine}${cache}`;
    const expected = 'a native plan without a cache';
    throw runtimeError('ERR_RUNTIME_RESERVATION', { expected, received, at: record.name });
  }

  /** Where a batch goes that is worth the way. A plan with executors of its own always goes there. */
  forRows(record: PlanRecord, rows: number): PlanOnExecutors | undefined {
    const pays = record.scheduling.reserve !== undefined || rows * record.nanosPerRow >= PAYING_NANOS;
    return pays ? this.plan(record) : undefined;
  }

  /** The plan as executors run it, where they can. */
  plan(record: PlanRecord): PlanOnExecutors | undefined {
    return runsOnExecutors(record) ? this.#executors?.plan(record, record.scheduling) : undefined;
  }

  /** The plan goes: its batches end with `error`. */
  remove(record: PlanRecord, error: () => Error): void {
    this.#executors?.remove(record, error);
  }

  stats(): ExecutorStatistics {
    return this.#executors?.stats() ?? NO_EXECUTORS;
  }

  async close(): Promise<void> {
    await this.#executors?.close();
  }
}

/** @throws ERR_RUNTIME_OPTION */
export function executorDoor({ native, addon, executors }: ExecutorParts): ExecutorDoor {
  const limit = checkedExecutors(executors);
  const isOpen = native !== undefined && addon !== undefined && limit > 0;
  return new ExecutorDoor(isOpen ? new Executors({ kernels: native, addon }, limit) : undefined);
}
