import { type PmmlLimits, within } from './options.js';

/** Counts the work of one import against its limits. */
export class Budget {
  readonly limits: PmmlLimits;
  #items = 0;
  #nodes = 0;
  #elements = 0;
  #depth = 0;

  constructor(limits: PmmlLimits) {
    this.limits = limits;
  }

  /** Counts XML elements and attributes. */
  item(at: string): void {
    within(this.limits, 'items', ++this.#items, at);
  }

  /** Counts expressions, models and terms of regressions. */
  node(at: string): void {
    within(this.limits, 'nodes', ++this.#nodes, at);
  }

  /** Counts elements of parameters. */
  elements(count: number, at: string): void {
    this.#elements += count;
    within(this.limits, 'elements', this.#elements, at);
  }

  /** Calls a function one level deeper. The depth limit protects the stack. */
  nested<T>(at: string, build: () => T): T {
    within(this.limits, 'depth', ++this.#depth, at);
    try {
      return build();
    } finally {
      this.#depth--;
    }
  }
}
