import { BLACK_BOX, type CompiledPlan, type KernelTable } from '@brezel/core';

/** Names of users' operators have a namespace: another one may take such a name. */
const NAMESPACE = '/';

/**
 * Which operators ask nothing of a runtime but to run them: no worker thread, no other runtime.
 * Looked up once for all plans that have them.
 */
export class PlainOperators {
  readonly #kernels: KernelTable;
  /** Version of each that was found plain. */
  readonly #versions = new Map<string, number>();

  constructor(kernels: KernelTable) {
    this.#kernels = kernels;
  }

  /** Whether a plan has no others. One with an operator that this thread does not know has. */
  areAll({ stages }: CompiledPlan): boolean {
    for (let at = 0; at < stages.length; at++) {
      const { steps } = stages[at]!.stage;
      for (let step = 0; step < steps.length; step++) {
        const { operator, version } = steps[step]!;
        if (this.#versions.get(operator) !== version && !this.#isPlain(operator, version)) return false;
      }
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
