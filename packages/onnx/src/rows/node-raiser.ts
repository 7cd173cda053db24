import { BrezelError, dtypeOf, type ElementType } from '@brezel/core';
import {
  type FlourContext,
  type Flow,
  type OnnxConstant,
  type OnnxMapping,
  type OnnxUse,
  onnxOperators,
  repeatRow,
} from '@brezel/flour';
import { tensorOperator } from '@brezel/tensors';
import { onnxError } from '../errors.js';
import type { ImportBudget } from '../import-budget.js';
import { type Graph, recognize } from '../recognize/index.js';
import { onCarriers } from './carried.js';
import { parameterOf } from './constant.js';
import { foldNode, shapeOfRows } from './fold.js';
import { mixedPower } from './powers.js';
import { raiseRows } from './raise.js';
import type { RowNode } from './row-node.js';
import {
  type ConstantValue,
  type GraphValue,
  isPlain,
  type RowValue,
  rowShape,
  rowValue,
  shapedFlow,
} from './value.js';
import { onVectors } from './vectors.js';

const mappings = new Map<string, OnnxMapping[]>();
for (const mapping of onnxOperators) {
  const key = `${mapping.domain}:${mapping.operator}`;
  mappings.set(key, [...(mappings.get(key) ?? []), mapping]);
}

export interface NodeRaiserOptions {
  readonly flour: FlourContext;
  readonly repairNgrams: boolean;
  readonly budget: ImportBudget;
  /** Tells how many rows there are: constants that repeat one row are taken from it. */
  anyRow(): Flow;
  warn(message: string): void;
  /** Operators of the nodes that read what a node gives. */
  users(node: RowNode): readonly string[];
}

type Values = readonly (GraphValue | undefined)[];

/** Raises the nodes of a graph one by one: folds constants, recognizes what several nodes mean, asks mappings, and last the rules for rows. */
export class NodeRaiser {
  readonly #options: NodeRaiserOptions;
  /** The node that gave a value. */
  readonly #producers = new Map<GraphValue, RowNode>();
  readonly #graph: Graph;

  constructor(options: NodeRaiserOptions) {
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

  /** @returns the outputs of the node in order. */
  raise(node: RowNode): Values {
    // Each strategy may read every constant once.
    node.budget.steps(1 + constantElements(node), node.at);
    if (!isRead(node)) throw this.#unknown(node);
    const values = this.#constants(node) ?? this.#rows(node);
    for (const value of values) if (value !== undefined) this.#producers.set(value, node);
    return values;
  }

  /** What depends on no row, at most on their number. */
  #constants(node: RowNode): Values | undefined {
    const { domain, operator, inputs } = node;
    if (domain === '' && (operator === 'Shape' || operator === 'Size')) {
      const shape = shapeOfRows(operator, inputs[0], node.options());
      if (shape !== undefined) return [shape];
    }
    const isConstant = (value: GraphValue | undefined): value is ConstantValue | undefined => value?.kind !== 'row';
    if (!inputs.every(isConstant)) return undefined;
    return foldNode({ ...node, inputs });
  }

  /** By the operator of Flour that means the node, else by what its operator does to tensors. */
  #rows(given: RowNode): Values {
    const known = recognize(given, this.#graph);
    if (known !== undefined) return [known];
    const node = { ...given, inputs: given.inputs.map((value) => castFrom(given, this.repeated(value))) };
    if (!node.inputs.some((value) => value?.kind === 'row')) throw this.#unknown(node); // constants that do not fold
    const line = this.#inALine(node);
    if (line !== undefined) return line;
    if (isOneLine(node))
      throw onnxError('ERR_ONNX_SHAPE', { received: 'an input [N], which is one row of N features', at: node.at });
    if (isSignedShift(node))
      throw onnxError('ERR_ONNX_UNSUPPORTED', { received: 'BitShift of integers with a sign', at: node.at });
    const carried = this.#power(node) ?? this.#onCarriers(node);
    if (carried !== undefined) return carried;
    let refusal: unknown;
    try {
      if (node.inputs.every(isKnownToMappings)) return this.#mapped(node);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal = error;
    }
    const raised = this.#onVectors(node) ?? (isModel(node) && refusal !== undefined ? undefined : raiseRows(node));
    if (raised !== undefined) return raised;
    throw refusal ?? this.#unknown(node);
  }

  #mapped(node: RowNode): Values {
    const mapping = mappings
      .get(`${node.domain}:${node.operator}`)
      ?.find(({ versions: [from, to] }) => node.opset >= from && node.opset <= to);
    if (mapping === undefined) throw this.#unknown(node);
    const use = this.#use(node);
    const flows = this.#options.flour.attempt(() => mapping.raise(use));
    return flows.map((flow, output): RowValue | undefined => {
      if (flow === undefined) return undefined;
      const layout = output === 0 ? mapping.layout?.(use, flow) : undefined;
      if (layout === undefined) return castTo(node, rowValue(flow));
      const { dims, axis } = layout;
      return { ...rowValue(flow), dims, batch: { axis, before: 1, after: dims[axis]! } };
    });
  }

  /** Models read the features of a row in a line, whatever axes of one entry they have. */
  #inALine(node: RowNode): Values | undefined {
    const isLine = (value: GraphValue | undefined) =>
      value?.kind === 'row' && isPlain(value) && (value.dims?.slice(1, -1).every((size) => size === 1) ?? false);
    const isDeep = node.inputs.some((value) => value?.kind === 'row' && (value.dims?.length ?? 0) > 2);
    if (node.domain !== 'ai.onnx.ml' || !isDeep || ofAnyShape.has(node.operator) || !node.inputs.every(isLine))
      return undefined;
    const inputs = node.inputs.map((value) => {
      const row = value as RowValue;
      return { ...row, dims: [1, row.dims!.at(-1)!] };
    });
    try {
      return this.#mapped({ ...node, inputs });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return undefined;
    }
  }

  /** Narrow types in the wider ones that carry them. */
  #onCarriers(node: RowNode): Values | undefined {
    const carried = onCarriers(node);
    if (carried === undefined) return undefined;
    const [value] = this.#plain(carried.node) ?? this.#onVectors(carried.node) ?? [];
    return value?.kind === 'row' ? [carried.result(value)] : undefined;
  }

  /** Powers of two types. */
  #power(node: RowNode): Values | undefined {
    try {
      const power = this.#options.flour.attempt(() => mixedPower(node));
      return power && [power];
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return undefined; // raiseRows says why
    }
  }

  /** By its mapping, where that reads the inputs as they are. */
  #plain(node: RowNode): Values | undefined {
    if (!node.inputs.every(isKnownToMappings)) return undefined;
    try {
      return this.#mapped(node);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return undefined;
    }
  }

  /** Operators of elements whose mappings know vectors, for any other shape. */
  #onVectors(node: RowNode): Values | undefined {
    if (!mappings.has(`${node.domain}:${node.operator}`)) return undefined;
    try {
      return this.#options.flour.attempt(() => {
        const vectors = onVectors(node);
        if (vectors === undefined) return undefined;
        const [value] = this.#mapped({ ...node, inputs: vectors.inputs });
        return [{ ...(value as RowValue), dims: vectors.dims, batch: vectors.batch }];
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return undefined; // raiseRows says why
    }
  }

  /** A constant that repeats one row as a value of the row. */
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

  #unknown({ domain, operator, opset, at }: RowNode): Error {
    const isKnown = mappings.has(`${domain}:${operator}`);
    const received = isKnown ? `version ${opset} of it` : `${domain || 'ai.onnx'}.${operator}`;
    return onnxError('ERR_ONNX_UNSUPPORTED', { received, at });
  }

  #use(node: RowNode): OnnxUse {
    const { operator, opset, attributes, inputs, at } = node;
    return {
      users: this.#options.users(node),
      flour: this.#options.flour,
      repairNgrams: this.#options.repairNgrams,
      isUnsigned: node.isUnsigned === true,
      operator,
      opset,
      attributes,
      inputs,
      row(index): Flow {
        const value = inputs[index];
        if (value?.kind === 'row') return shapedFlow(value);
        throw onnxError('ERR_ONNX_UNSUPPORTED', {
          received: `input ${index} is ${value === undefined ? 'missing' : 'a constant'}`,
          at,
        });
      },
      constant(index): OnnxConstant | undefined {
        const value = inputs[index];
        return value?.kind === 'constant' ? value.tensor : undefined;
      },
      unsupported: (received, hint) =>
        onnxError('ERR_ONNX_UNSUPPORTED', { received, at, ...(hint !== undefined && { hint }) }),
      invalid: (expected, received) => onnxError('ERR_ONNX_ATTRIBUTE', { expected, received, at }),
      warn: (message) => this.#options.warn(`${at}: ${message}`),
    };
  }
}

/** Whether Brezel reads this version of the operator: strategies that know an operator by its name ask nothing else. */
const isRead = ({ domain, operator, opset }: RowNode): boolean =>
  tensorOperator(domain, operator, opset) !== undefined ||
  (mappings.get(`${domain}:${operator}`)?.some(({ versions: [from, to] }) => opset >= from && opset <= to) ?? false);

const constantElements = ({ inputs }: RowNode): number =>
  inputs.reduce((sum, value) => sum + (value?.kind === 'constant' ? value.tensor.data.length : 1), 0);

const narrowElements: ReadonlySet<string> = new Set('int8 uint8 int16 uint16 uint32 float16 bfloat16'.split(' '));

/** A narrow integer is cast as the wider one that holds it, a short float as a float32. */
function castFrom({ domain, operator }: RowNode, value: GraphValue | undefined): GraphValue | undefined {
  const isNarrow = domain === '' && operator === 'Cast' && value?.kind === 'row' && narrowElements.has(value.element);
  return isNarrow ? { ...value, element: dtypeOf(value.flow.type) } : value;
}

const narrowTargets: Readonly<Record<number, ElementType>> = {
  2: 'uint8',
  3: 'int8',
  4: 'uint16',
  5: 'int16',
  12: 'uint32',
};

/** What is cast to a narrow integer is one from there on: sums of it wrap around where it does, not where the wider one does. */
function castTo({ domain, operator, attributes }: RowNode, value: RowValue): RowValue {
  const element = domain === '' && operator === 'Cast' ? narrowTargets[attributes.int('to')] : undefined;
  return element === undefined ? value : { ...value, element };
}

/** What a mapping refuses of a model stays refused: tensor operators read less strictly. */
const isModel = ({ domain, operator }: RowNode): boolean =>
  domain === 'ai.onnx.ml' && operator !== 'ArrayFeatureExtractor';

const isSignedShift = ({ domain, operator, inputs }: RowNode): boolean =>
  domain === '' && operator === 'BitShift' && !inputs.some((value) => value?.element.startsWith('uint'));

/** Models, and what divides by a norm, read a list as one row of features: rows of a number each would be its columns. */
const isOneLine = ({ domain, operator, inputs: [features] }: RowNode): boolean =>
  domain === 'ai.onnx.ml' &&
  /^(Normalizer|Linear|SVM)/.test(operator) &&
  features?.kind === 'row' &&
  features.dims?.length === 1;

/** Operators of ai.onnx.ml that know every axis. */
const ofAnyShape = new Set(['ArrayFeatureExtractor', 'Binarizer', 'LabelEncoder', 'OneHotEncoder']);

/** What a mapping does not know; other faults are the file's. */
const isRefusal = (error: unknown): error is BrezelError =>
  error instanceof BrezelError &&
  error.code !== 'ERR_FLOUR_WEIGHT' &&
  (error.code.startsWith('ERR_FLOUR') || error.code === 'ERR_ONNX_UNSUPPORTED' || error.code === 'ERR_ONNX_SHAPE');

const isKnownToMappings = (value: GraphValue | undefined): boolean =>
  value === undefined || (value.kind === 'constant' ? value.byRows === undefined : isPlain(value));
