import { BLACK_BOX, type CompiledPlan, type KernelTable } from '@brezel/core';
import type { Operator } from './fleet-source.js';

/**
 * Names of custom operators contain a namespace, which ends with this character. With namespaces,
 * operators of different authors have different names.
 */
const NAMESPACE = '/';

/**
 * Recognizes plain operators. A plain operator needs neither a worker thread nor a backend. Each
 * operator is looked up only once for all plans.
 */
export class PlainOperators {
  readonly #kernels: KernelTable;
  /** The version of each operator that is known to be plain. */
  readonly #versions = new Map<string, number>();

  constructor(kernels: KernelTable) {
    this.#kernels = kernels;
  }

  /**
   * Returns whether all operators of a plan are plain. An operator that this thread has not defined
   * is not plain.
   */
  areAll({ stages }: CompiledPlan): boolean {
    for (let at = 0; at < stages.length; at++) if (!this.areAllOf(stages[at]!.stage.steps)) return false;
    return true;
  }

  /** Returns whether all operators of a stage are plain. */
  areAllOf(steps: readonly Operator[]): boolean {
    for (let step = 0; step < steps.length; step++) {
      const { operator, version } = steps[step]!;
      if (this.#versions.get(operator) !== version && !this.#isPlain(operator, version)) return false;
    }
    return true;
  }

  #isPlain(operator: string, version: number): boolean {
    const isPlain =
      operator !== BLACK_BOX &&
      this.#kernels.reference(operator, version) !== undefined &&
      this.#kernels.deadlineMs?.(operator, version) === undefined;
    if (isPlain && !operator.includes(NAMESPACE)) this.#versions.set(operator, version);
    return isPlain;
  }
}
