import { dtypeOf, type Precision, sizeOf } from '@brezel/core';
import type { Flow } from '@brezel/flour';
import { damaged } from './errors.js';
import type { Fields } from './fields.js';

/** Counts the operators of a program. */
export interface OperatorBudget {
  takeOperators(operators: number, at: string): void;
}

/** A node of a file while the program is built: its fields, and the flows of its inputs. */
export class Node {
  readonly fields: Fields;
  readonly precision: Precision;
  readonly #inputs: readonly Flow[];
  readonly #budget: OperatorBudget;

  constructor(fields: Fields, inputs: readonly Flow[], precision: Precision, budget: OperatorBudget) {
    this.fields = fields;
    this.precision = precision;
    this.#inputs = inputs;
    this.#budget = budget;
  }

  /**
   * Counts operators against `limits.nodes`, for a node that becomes many operators.
   *
   * @throws ERR_SKLEARN_LIMIT
   */
  takeOperators(operators: number): void {
    this.#budget.takeOperators(operators, this.fields.at);
  }

  get inputs(): number {
    return this.#inputs.length;
  }

  /** Returns an input of any kind. */
  flow(index = 0): Flow {
    const flow = this.#inputs[index];
    if (flow === undefined) throw damaged(this.fields.at, `an input ${index}`, `${this.#inputs.length} inputs`);
    return flow;
  }

  /** Returns an input that is a text. */
  text(): Flow<'text'> {
    const flow = this.flow();
    if (flow.kind !== 'text') throw damaged(this.fields.at, 'a text', flow.kind);
    return flow as Flow<'text'>;
  }

  /** Returns an input as a vector of numbers of the program's precision. */
  numbers(index = 0): Flow<'vector'> {
    const flow = this.flow(index);
    if (flow.kind !== 'vector' && flow.kind !== 'scalar') throw damaged(this.fields.at, 'numbers', flow.kind);
    const vector = flow.kind === 'scalar' ? (flow as Flow<'scalar'>).asVector() : (flow as Flow<'vector'>);
    return dtypeOf(vector.type) === this.precision ? vector : (vector.cast(this.precision) as Flow<'vector'>);
  }

  /** Returns an input that is a class index. */
  index(): Flow<'scalar'> {
    const flow = this.flow();
    if (flow.kind !== 'scalar' || dtypeOf(flow.type) !== 'int64') throw damaged(this.fields.at, 'an index', flow.kind);
    return flow as Flow<'scalar'>;
  }

  /** Reads one number, or one number for each column of a vector. */
  operand(name: string, vector: Flow<'vector'>): number | Float64Array {
    const { data } = this.fields.floats(name);
    return data.length === 1 ? data[0]! : this.fields.floatsOf(name, sizeOf(vector.type));
  }

  /** Reads the columns of a vector. */
  columns(name: string, vector: Flow<'vector'>): Int32Array {
    const columns = this.fields.ints(name);
    const size = sizeOf(vector.type);
    const wrong = columns.find((column) => column < 0 || column >= size);
    if (wrong !== undefined) throw damaged(`${this.fields.at}.${name}`, `columns below ${size}`, `${wrong}`);
    if (columns.length === 0) throw damaged(`${this.fields.at}.${name}`, 'at least one column', 'none');
    return columns;
  }
}

/** Adds the flow of a node to the program. */
export type NodeWriter = (node: Node) => Flow;
