import type { ParameterId } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { RuleContext } from './rule.js';
import { RuleBudget } from './rule-budget.js';

/**
 * The parameters that rules may read and derive during one compilation. It holds references to the
 * derived parameters until the compilation ends; afterwards only the plan holds references.
 */
export class CompilationContext implements RuleContext {
  readonly #store: ObjectStore;
  readonly #held: ParameterId[] = [];

  readonly isa: string | undefined;
  budget = new RuleBudget();

  constructor(store: ObjectStore, isa?: string) {
    this.#store = store;
    this.isa = isa;
  }

  get strings() {
    return this.#store.memory.strings;
  }

  get numbers() {
    return this.#store.memory.numbers;
  }

  parameter(id: ParameterId) {
    return this.#store.get(id);
  }

  info(id: ParameterId) {
    return this.#store.info(id);
  }

  derive(key: string, from: readonly ParameterId[], build: Parameters<ObjectStore['derive']>[1]): ParameterId {
    const id = this.#store.derive(`${key} of ${from.join(' and ')}`, build);
    this.#held.push(id);
    return id;
  }

  release(): void {
    for (const id of this.#held.splice(0)) this.#store.release(id);
  }
}
