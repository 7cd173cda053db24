import type { Budget } from '../budget.js';
import { damaged } from '../errors.js';
import type { Value } from '../value.js';

/**
 * The fields that expressions and models can use by name. A field is converted when it is used for
 * the first time. A scope sees the fields of its parent.
 */
export class Scope {
  readonly #budget: Budget;
  readonly #parent: Scope | undefined;
  readonly #fields = new Map<string, () => Value>();
  readonly #values = new Map<string, Value>();
  readonly #converting = new Set<string>();

  constructor(budget: Budget, parent?: Scope) {
    this.#budget = budget;
    this.#parent = parent;
  }

  /** Defines a field. A later definition with the same name replaces an earlier one. */
  define(name: string, convert: () => Value): void {
    this.#fields.set(name, convert);
    this.#values.delete(name);
  }

  has(name: string): boolean {
    return this.#fields.has(name) || (this.#parent?.has(name) ?? false);
  }

  /**
   * Returns the value of a field.
   * @throws ERR_PMML_FORMAT for an unknown field, or a field that uses itself.
   */
  field(name: string, at: string): Value {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const convert = this.#fields.get(name);
    if (convert === undefined) {
      if (this.#parent === undefined) throw damaged(at, 'a field of the model', JSON.stringify(name.slice(0, 40)));
      return this.#parent.field(name, at);
    }
    if (this.#converting.has(name))
      throw damaged(at, 'fields that do not use themselves', JSON.stringify(name.slice(0, 40)));
    this.#converting.add(name);
    try {
      const value = this.#budget.nested(at, convert);
      this.#values.set(name, value);
      return value;
    } finally {
      this.#converting.delete(name);
    }
  }
}
