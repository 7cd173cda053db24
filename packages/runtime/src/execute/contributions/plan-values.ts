import {
  type Block,
  type CompiledPlan,
  type KernelTable,
  numbersIn,
  type ParameterValue,
  type ResultCall,
  type Step,
  type ValueType,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { viewRow } from '../block-rows.js';
import { inStage } from '../stages/stage-errors.js';
import { explainError } from './errors.js';

/**
 * One operator of a plan. Each value of the plan has a number: first the inputs of the plan, then
 * the results of its operators.
 */
export interface PlanNode {
  readonly step: Step;
  /** Number of the stage, as EXPLAIN shows it. */
  readonly stage: number;
  readonly inputs: readonly number[];
  readonly inputTypes: readonly ValueType[];
  /** The number of the value that the operator computes. */
  readonly value: number;
}

/** A range of rows of a request: their number, and the index of the first row. */
export interface RowsOfRequest {
  readonly rows: number;
  readonly first: number;
}

/**
 * The values of a plan that were computed for some rows. The key of a block is the number of the
 * value.
 */
export interface ComputedValues {
  readonly rows: number;
  readonly blocks: ReadonlyMap<number, Block>;
}

/** The values of one row, by the number of the value. Each block has one row. */
export interface RowBlocks {
  get(value: number): Block | undefined;
}

/** Returns a view of the values of one row. */
export function rowOfValues({ rows, blocks }: ComputedValues, row: number): RowBlocks {
  if (rows === 1) return blocks;
  const found = new Map<number, Block>();
  return {
    get(value) {
      let block = found.get(value);
      const all = blocks.get(value);
      if (block === undefined && all !== undefined) {
        block = viewRow(all, row);
        found.set(value, block);
      }
      return block;
    },
  };
}

/** Returns one number of a computed value in one row. */
export const numberAt = (computed: ComputedValues, row: number, place: { value: number; element: number }): number =>
  numbersIn(viewRow(computed.blocks.get(place.value)!, row))(place.element);

/**
 * Runs the operators of a plan one by one. Explanations use this class instead of an engine,
 * because they need all values, also inside stages.
 */
export class PlanValues {
  readonly nodes: readonly PlanNode[];
  /** For each output of the plan, the number of its value. */
  readonly outputs: readonly number[];
  readonly #plan: CompiledPlan;
  readonly #kernels: KernelTable;
  readonly #store: ObjectStore;
  readonly #producers = new Map<number, PlanNode>();
  readonly #parameters = new Map<PlanNode, Readonly<Record<string, ParameterValue>>>();

  constructor({ compiled }: ServedPlan, kernels: KernelTable, store: ObjectStore) {
    this.#plan = compiled;
    this.#kernels = kernels;
    this.#store = store;
    const slots = compiled.inputs.map((_, at) => at);
    const types = compiled.inputs.map(({ type }) => type);
    const nodes: PlanNode[] = [];
    compiled.stages.forEach(({ stage, inputs, outputs }, at) => {
      const local = inputs.map((slot) => slots[slot]!);
      stage.steps.forEach((step) => {
        const read = step.inputs.map((slot) => local[slot]!);
        const node: PlanNode = {
          step,
          stage: at + 1,
          inputs: read,
          inputTypes: read.map((one) => types[one]!),
          value: types.length,
        };
        types.push(step.type);
        local.push(node.value);
        nodes.push(node);
        this.#producers.set(node.value, node);
      });
      outputs.forEach((slot, index) => {
        slots[slot] = local[stage.outputs[index]!]!;
      });
    });
    this.nodes = nodes;
    this.outputs = compiled.outputs.map(({ slot }) => slots[slot]!);
  }

  /** Returns the operator that computes a value; undefined for an input of the plan. */
  producer(value: number): PlanNode | undefined {
    return this.#producers.get(value);
  }

  /**
   * Computes the value `target` for some rows, and all values from which it is computed. Each
   * operator runs separately, in its reference kernel.
   * @throws ERR_RUNTIME_INPUT, ERR_RUNTIME_CUSTOM, ERR_RUNTIME_KERNEL, ERR_EXPLAIN_OPERATOR
   */
  run(inputs: readonly Block[], { rows, first }: RowsOfRequest, target: number): ComputedValues {
    const values = new Map(inputs.map((block, at) => [at, block]));
    const needed = this.#needed(target);
    for (const node of this.nodes) {
      if (!needed.has(node.value)) continue;
      const { operator, version } = node.step;
      const kernel = this.#kernels.reference(operator, version);
      if (kernel === undefined)
        throw explainError('ERR_EXPLAIN_OPERATOR', { received: operator, at: `stage ${node.stage}` });
      const run = () => kernel(this.#call(node, values, rows));
      values.set(node.value, inStage(this.#plan, node.stage - 1, run, first));
    }
    return { rows, blocks: values };
  }

  /** Returns the arguments with which an operator is called for one row, and its result. */
  call(node: PlanNode, values: RowBlocks): ResultCall {
    return { ...this.#call(node, values, 1), result: values.get(node.value)! };
  }

  #call(node: PlanNode, values: RowBlocks, rows: number) {
    const { step, inputs, inputTypes } = node;
    const { type, attributes } = step;
    const blocks = inputs.map((value) => values.get(value)!);
    return { rows, inputs: blocks, inputTypes, type, attributes, parameters: this.#parametersOf(node) };
  }

  #parametersOf(node: PlanNode): Readonly<Record<string, ParameterValue>> {
    let read = this.#parameters.get(node);
    if (read === undefined) {
      const ids = Object.entries(node.step.parameters);
      read = Object.fromEntries(ids.map(([name, id]) => [name, this.#store.get(id)]));
      this.#parameters.set(node, read);
    }
    return read;
  }

  #needed(target: number): ReadonlySet<number> {
    const needed = new Set([target]);
    for (const node of this.nodes.toReversed())
      if (needed.has(node.value)) for (const input of node.inputs) needed.add(input);
    return needed;
  }
}
