import type { FlourContext, Flow } from '@brezel/flour';
import { repeatRow } from '@brezel/flour';
import { tensorOperator } from '@brezel/tensors';
import { onnxError } from '../errors.js';
import type { ImportBudget } from '../import-budget.js';
import type { Graph } from '../recognize/index.js';
import { parameterOf } from './constant.js';
import type { RowNode } from './row-node.js';
import { graphStrategies, rowStrategies } from './strategies/index.js';
import { castFrom, customOf, mappingOf, unknownOperator } from './strategies/mapping.js';
import { type Attempt, isUnsupported, type Strategy, type Values } from './strategies/strategy.js';
import { type GraphValue, rowShape } from './value.js';

export interface NodeConverterOptions {
  readonly flour: FlourContext;
  readonly repairNgrams: boolean;
  readonly budget: ImportBudget;
  /**
   * Returns any flow that depends on the row. The conversion of a constant to a row value needs
   * such a flow.
   */
  anyRow(): Flow;
  warn(message: string): void;
  /** Returns the operators of all nodes that read an output of the node. */
  users(node: RowNode): readonly string[];
}

/**
 * How a node was converted: the strategy that converted it, and why the strategies before it could
 * not.
 */
export interface NodeConversion {
  /** Name, operator and version of the node. */
  readonly node: string;
  readonly strategy: string;
  readonly tried: readonly { readonly strategy: string; readonly reason: string }[];
}

/**
 * Converts the nodes of a graph in order. For each node, it uses the first strategy that supports
 * the node.
 */
export class NodeConverter {
  readonly conversions: NodeConversion[] = [];
  readonly #options: NodeConverterOptions;
  /** For each value, the node that computed it. */
  readonly #producers = new Map<GraphValue, RowNode>();
  readonly #graph: Graph;

  constructor(options: NodeConverterOptions) {
    this.#options = options;
    this.#graph = {
      producer: (value) => {
        if (value === undefined) return undefined;
        const found = this.#producers.get(value);
        if (found !== undefined) options.budget.steps(1, found.at);
        return found;
      },
      users: options.users,
    };
  }

  /**
   * Converts one node.
   * @returns the outputs of the node in order.
   * @throws the error of the last strategy that reported an error; ERR_ONNX_UNSUPPORTED if no
   * strategy reported one.
   */
  convert(node: RowNode): Values {
    node.budget.steps(1 + constantElements(node), node.at); // a strategy may read every constant
    if (!isRead(node)) throw unknownOperator(node);
    const attempts: Attempt[] = [];
    const values = this.#first(graphStrategies, node, attempts) ?? this.#byRow(node, attempts);
    for (const value of values) if (value !== undefined) this.#producers.set(value, node);
    return values;
  }

  #byRow(given: RowNode, attempts: Attempt[]): Values {
    const node = { ...given, inputs: given.inputs.map((value) => castFrom(given, this.repeated(value))) };
    checkRowNode(node);
    const values = this.#first(rowStrategies, node, attempts);
    if (values !== undefined) return values;
    throw attempts.findLast(({ error }) => error !== undefined)?.error ?? unknownOperator(node);
  }

  #first(strategies: readonly Strategy[], node: RowNode, attempts: Attempt[]): Values | undefined {
    const { flour, repairNgrams, budget, anyRow, warn } = this.#options;
    // One object for each node, without a spread: spreads were a sixth of the time of an import.
    const context = { flour, repairNgrams, budget, anyRow, warn, graph: this.#graph, attempts };
    for (const { name: strategy, convert } of strategies) {
      const conversion = convert(node, context);
      if (!isUnsupported(conversion)) {
        const tried = attempts.map(({ strategy, reason }) => ({ strategy, reason }));
        this.conversions.push({ node: node.at, strategy, tried });
        return conversion;
      }
      const { reason, error } = conversion.unsupported;
      attempts.push({ strategy, reason, error });
    }
    return undefined;
  }

  /**
   * Converts a constant that has the same entry for each row to a row value. Returns other values
   * unchanged.
   */
  repeated(value: GraphValue | undefined): GraphValue | undefined {
    if (value?.kind !== 'constant' || value.batch === undefined) return value;
    const row = parameterOf(value.tensor);
    const shape = rowShape(value.tensor.shape, value.batch);
    return {
      kind: 'row',
      flow: repeatRow(this.#options.anyRow(), { ...row, shape }),
      element: value.element,
      dims: value.tensor.shape,
      batch: value.batch,
    };
  }
}

/**
 * Returns whether Brezel supports this version of the operator. The converter checks this first,
 * because some strategies look only at the name of the operator.
 */
const isRead = (node: RowNode): boolean =>
  tensorOperator(node.domain, node.operator, node.opset) !== undefined ||
  mappingOf(node) !== undefined ||
  customOf(node) !== undefined;

/** Throws for nodes that no strategy could convert correctly. */
function checkRowNode(node: RowNode): void {
  // A node with constant inputs whose operator cannot be evaluated during the import.
  if (!node.inputs.some((value) => value?.kind === 'row')) throw unknownOperator(node);
  if (isOneLine(node))
    throw onnxError('ERR_ONNX_SHAPE', { received: 'an input [N], which is one row of N features', at: node.at });
  if (isSignedShift(node))
    throw onnxError('ERR_ONNX_UNSUPPORTED', { received: 'BitShift of signed integers', at: node.at });
}

const constantElements = ({ inputs }: RowNode): number =>
  inputs.reduce((sum, value) => sum + (value?.kind === 'constant' ? value.tensor.data.length : 1), 0);

const isSignedShift = ({ domain, operator, inputs }: RowNode): boolean =>
  domain === '' && operator === 'BitShift' && !inputs.some((value) => value?.element.startsWith('uint'));

/**
 * Returns whether a node would read N rows of one number as a single row of N features. Models,
 * Normalizer and FeatureVectorizer read a tensor with one axis in this way. If the file declares
 * exactly one row, both readings are the same.
 */
const isOneLine = ({ domain, operator, isFixed, inputs: [features] }: RowNode): boolean =>
  domain === 'ai.onnx.ml' &&
  !isFixed &&
  /^(FeatureVectorizer|Linear|Normalizer|SVM|TreeEnsemble)/.test(operator) &&
  features?.kind === 'row' &&
  features.dims?.length === 1;
