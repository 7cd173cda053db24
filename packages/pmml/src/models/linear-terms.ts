import type { Flow } from '@brezel/flour';
import { damaged } from '../errors.js';
import { Graph } from '../graph.js';
import { arithmetic } from '../operands.js';
import { constantOf, MISSING, type Operand, type Value } from '../value.js';
import type { ModelUse } from './model.js';

/** A field to a power. */
export interface Power {
  readonly name: string;
  readonly exponent: number;
}

/**
 * Collects the terms of linear models: the weight of each number and of each category, for each
 * target. Numbers become a matrix product, and categories become a graph.
 */
export class LinearTerms {
  readonly #use: ModelUse;
  readonly #targets: number;
  readonly #missingCategory: 'zero' | 'missing';
  readonly #constants: Float64Array;
  readonly #columns = new Map<string, { readonly flow: Operand; readonly weights: Float64Array }>();
  readonly #categories = new Map<string, { readonly value: Value; readonly weights: Map<number, Float64Array> }>();

  /**
   * @param missingCategory the weight of a category that is missing: 0, or a missing sum.
   */
  constructor(use: ModelUse, targets: number, missingCategory: 'zero' | 'missing') {
    this.#use = use;
    this.#targets = targets;
    this.#missingCategory = missingCategory;
    this.#constants = new Float64Array(targets);
  }

  addConstant(target: number, weight: number): void {
    this.#constants[target]! += weight;
  }

  /** Adds a product of fields. A boolean is 0 or 1. */
  addProduct(factors: readonly Power[], target: number, weight: number, at: string): void {
    this.addNumber(JSON.stringify(factors), target, weight, at, () =>
      factors
        .map(({ name, exponent }) => {
          const { type, operand } = this.#use.scope.field(name, at);
          if (type === 'string') throw damaged(at, 'a numeric field', `${name}, which is a string`);
          return exponent === 1 ? operand : arithmetic('power', operand, exponent);
        })
        .reduce((product, one) => arithmetic('multiply', product, one)),
    );
  }

  /** Adds a number. `key` identifies the number, so that it is converted once. */
  addNumber(key: string, target: number, weight: number, at: string, convert: () => Operand): void {
    let column = this.#columns.get(key);
    if (column === undefined) {
      this.#use.context.budget.node(at);
      this.#use.context.budget.elements(this.#targets, at);
      column = { flow: convert(), weights: new Float64Array(this.#targets) };
      this.#columns.set(key, column);
    }
    column.weights[target]! += weight;
  }

  /** Adds the weight of one value of a field. */
  addCategory(name: string, text: string, target: number, weight: number, at: string): void {
    let category = this.#categories.get(name);
    if (category === undefined) {
      category = { value: this.#use.scope.field(name, at), weights: new Map() };
      this.#categories.set(name, category);
    }
    const { value, weights } = category;
    const key = constantOf(value, text, this.#use.context.names, at);
    let own = weights.get(key);
    if (own === undefined) {
      this.#use.context.budget.elements(this.#targets, at);
      own = new Float64Array(this.#targets);
      weights.set(key, own);
    }
    own[target]! += weight;
  }

  /** Returns the sum of the terms of each target: float64[targets]. */
  sums(): Flow<'vector'> {
    const constants = Float64Array.from(this.#constants);
    const flows: Flow<'vector'>[] = [];
    const weights: number[] = [];
    for (const column of this.#columns.values()) {
      if (typeof column.flow === 'number') {
        const constant = column.flow;
        column.weights.forEach((weight, target) => (constants[target]! += weight * constant));
      } else {
        flows.push(column.flow);
        for (const weight of column.weights) weights.push(weight);
      }
    }
    // A missing number makes the sum missing, even with the weight 0.
    const [first, ...others] = flows;
    const numbers = first?.concat(...others).matMul({ weights: Float64Array.from(weights) });
    if (numbers !== undefined && this.#categories.size === 0) return numbers.arithmetic('add', constants);
    const base = this.#categorySums(constants);
    return numbers === undefined ? base : numbers.arithmetic('add', base);
  }

  /** Returns the constants, plus the weights of the categories. */
  #categorySums(constants: Float64Array): Flow<'vector'> {
    const graph = new Graph(this.#use.context.budget);
    const nothing = graph.leaf([]);
    const every = Array.from(constants, (_, target) => target);
    const missing =
      this.#missingCategory === 'zero' ? nothing : graph.leaf(every.map((target) => [target, MISSING] as const));
    const base = [...constants];
    const roots: number[] = [];
    for (const { value, weights } of this.#categories.values()) {
      const { operand } = value;
      if (typeof operand === 'number') {
        const isLost = Number.isNaN(operand) && this.#missingCategory === 'missing';
        const own = isLost ? every.map(() => MISSING) : weights.get(operand);
        own?.forEach((weight, target) => (base[target]! += weight));
        continue;
      }
      const leaves = [...weights].map(
        ([key, list]) => [key, graph.leaf([...list].map((weight, target) => [target, weight]))] as const,
      );
      roots.push(graph.select(operand, new Map(leaves), missing, nothing));
    }
    return graph.run(roots.length > 0 ? roots : [nothing], base, this.#use.context.any);
  }
}
