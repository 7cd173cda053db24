import { dtypeOf, type ElementType } from '@brezel/core';
import {
  type Flow,
  findDefined,
  type OnnxConstant,
  type OnnxMapping,
  type OnnxUse,
  onnxOperators,
} from '@brezel/flour';
import { onnxError } from '../../errors.js';
import { onCarriers } from '../carried.js';
import { mixedPower } from '../powers.js';
import type { RowNode } from '../row-node.js';
import { type GraphValue, isPlain, type RowValue, rowValue, shapedFlow } from '../value.js';
import { onVectors } from '../vectors.js';
import {
  attempted,
  type Conversion,
  type ConversionContext,
  isUnsupported,
  quietlyAttempted,
  type Strategy,
  unsupported,
} from './strategy.js';

// Strategies that use the mappings of Flour's operators (`onnx.ts` in the folder of each operator).

const mappings = new Map<string, OnnxMapping[]>();
for (const mapping of onnxOperators) {
  const key = `${mapping.domain}:${mapping.operator}`;
  mappings.set(key, [...(mappings.get(key) ?? []), mapping]);
}

const standardDomains: ReadonlySet<string> = new Set(onnxOperators.map(({ domain }) => domain));

/** Returns whether any version of the operator has a mapping. */
export const hasMapping = ({ domain, operator }: RowNode): boolean => mappings.has(`${domain}:${operator}`);

export const mappingOf = ({ domain, operator, opset }: RowNode): OnnxMapping | undefined =>
  mappings.get(`${domain}:${operator}`)?.find(({ versions: [from, to] }) => opset >= from && opset <= to);

/** Returns the custom operator for a node, or undefined if the user defined none. */
export const customOf = ({ domain, operator, opset }: Pick<RowNode, 'domain' | 'operator' | 'opset'>) =>
  findDefined(`${domain}/${operator}`, opset);

/** Returns the error for a node that no strategy supports. */
export function unknownOperator(node: RowNode) {
  const { domain, operator, opset, at } = node;
  const received = hasMapping(node) ? `version ${opset} of it` : `${domain || 'ai.onnx'}.${operator}`;
  const hint = standardDomains.has(domain)
    ? {}
    : { hint: `define the operator: defineOperator({ name: "${domain}/${operator}", ... })` };
  return onnxError('ERR_ONNX_UNSUPPORTED', { received, at, ...hint });
}

/** Converts a node to the operator of Flour that has the same meaning. */
export const flourOperator: Strategy = {
  name: 'operator of Flour',
  convert(node, context) {
    if (!node.inputs.every(isReadable)) return unsupported(UNREADABLE);
    return attempted(context.flour, () => mapped(node, context));
  },
};

/** Converts a model operator whose input has extra axes of size 1: removes these axes first. */
export const flattenedModel: Strategy = {
  name: 'model over flattened features',
  convert(node, context) {
    const isLine = (value: GraphValue | undefined) =>
      value?.kind === 'row' && isPlain(value) && (value.dims?.slice(1, -1).every((size) => size === 1) ?? false);
    const isDeep = node.inputs.some((value) => value?.kind === 'row' && (value.dims?.length ?? 0) > 2);
    if (node.domain !== 'ai.onnx.ml' || !isDeep) return unsupported('no model with an input of three axes or more');
    if (readAnyShape.has(node.operator) || !node.inputs.every(isLine))
      return unsupported('its axes are not of one entry');
    const inputs = node.inputs.map((value) => {
      const row = value as RowValue;
      return { ...row, dims: [1, row.dims!.at(-1)!] };
    });
    return quietlyAttempted(context.flour, () => mapped({ ...node, inputs }, context));
  },
};

/** Converts Pow if its base and exponent have different types. */
export const mixedTypes: Strategy = {
  name: 'power of two types',
  convert(node, { flour }) {
    return quietlyAttempted(flour, () => {
      const power = mixedPower(node);
      return power === undefined ? unsupported('no Pow of two types') : [power];
    });
  },
};

/**
 * Converts operators on element types that flows do not have. Narrow integers and short floats run
 * in a wider type, for example int8 in int32. A uint64 runs as the int64 with the same bits; for
 * comparisons, as an int64 that sorts in the same order (`unsigned.ts`).
 */
export const widerType: Strategy = {
  name: 'wider type',
  convert(node, context) {
    const carried = onCarriers(node);
    if (carried === undefined) return unsupported('no narrow type that a wider one computes');
    const direct = flourOperator.convert(carried.node, context);
    const conversion = isUnsupported(direct) ? elementwise.convert(carried.node, context) : direct;
    if (isUnsupported(conversion)) return unsupported(conversion.unsupported.reason);
    const [value] = conversion;
    return value?.kind === 'row' ? [carried.result(value)] : unsupported('its result is no value of the row');
  },
};

/** Converts elementwise operators on tensors of any shape to operators on vectors. */
export const elementwise: Strategy = {
  name: 'elementwise over vectors',
  convert(node, context) {
    if (!hasMapping(node)) return unsupported('no operator of Flour');
    return quietlyAttempted(context.flour, () => {
      const vectors = onVectors(node);
      if (vectors === undefined) return unsupported('not elementwise, or too long to repeat');
      const [value] = mapped({ ...node, inputs: vectors.inputs }, context);
      return [{ ...(value as RowValue), dims: vectors.dims, batch: vectors.batch }];
    });
  },
};

export const UNREADABLE = 'an input has other axes than [row, columns], or depends on the number of rows';

export const isReadable = (value: GraphValue | undefined): boolean =>
  value === undefined || (value.kind === 'constant' ? value.byRows === undefined : isPlain(value));

function mapped(node: RowNode, context: ConversionContext): Exclude<Conversion, { unsupported: unknown }> {
  const mapping = mappingOf(node);
  if (mapping === undefined) throw unknownOperator(node);
  const use = useOf(node, context);
  return mapping.convert(use).map((flow, output): RowValue | undefined => {
    if (flow === undefined) return undefined;
    const layout = output === 0 ? mapping.layout?.(use, flow) : undefined;
    if (layout === undefined) return castTo(node, rowValue(flow));
    const { dims, axis } = layout;
    return { ...rowValue(flow), dims, batch: { axis, before: 1, after: dims[axis]! } };
  });
}

function useOf(node: RowNode, { flour, graph, repairNgrams, warn }: ConversionContext): OnnxUse {
  const { operator, opset, attributes, inputs, at } = node;
  return {
    users: graph.users(node),
    flour,
    repairNgrams,
    isUnsigned: node.isUnsigned === true,
    operator,
    opset,
    attributes,
    inputs,
    row(index): Flow {
      const value = inputs[index];
      if (value?.kind === 'row') return shapedFlow(value);
      const received = `input ${index} is ${value === undefined ? 'missing' : 'a constant'}`;
      throw onnxError('ERR_ONNX_UNSUPPORTED', { received, at });
    },
    constant(index): OnnxConstant | undefined {
      const value = inputs[index];
      return value?.kind === 'constant' ? value.tensor : undefined;
    },
    unsupported: (received, hint) =>
      onnxError('ERR_ONNX_UNSUPPORTED', { received, at, ...(hint !== undefined && { hint }) }),
    invalid: (expected, received) => onnxError('ERR_ONNX_ATTRIBUTE', { expected, received, at }),
    warn: (message) => warn(`${at}: ${message}`),
  };
}

const narrowTargets: Readonly<Record<number, ElementType>> = {
  2: 'uint8',
  3: 'int8',
  4: 'uint16',
  5: 'int16',
  12: 'uint32',
};

/**
 * Sets the element type of a Cast's result to the narrow type that the node requests. The flow
 * contains the elements in a wider type, and later operators read the element type to wrap around
 * correctly.
 */
function castTo({ domain, operator, attributes }: RowNode, value: RowValue): RowValue {
  const element = domain === '' && operator === 'Cast' ? narrowTargets[attributes.int('to')] : undefined;
  return element === undefined ? value : { ...value, element };
}

const narrowElements: ReadonlySet<string> = new Set('int8 uint8 int16 uint16 uint32 float16 bfloat16'.split(' '));

/**
 * For an input of a Cast with a narrow element type, such as int8, sets `element` to the wider type
 * that the flow really has. Returns other inputs unchanged.
 */
export function castFrom({ domain, operator }: RowNode, value: GraphValue | undefined): GraphValue | undefined {
  const isNarrow = domain === '' && operator === 'Cast' && value?.kind === 'row' && narrowElements.has(value.element);
  return isNarrow ? { ...value, element: dtypeOf(value.flow.type) } : value;
}

/** Operators of ai.onnx.ml that accept inputs with any number of axes. */
const readAnyShape = new Set(['ArrayFeatureExtractor', 'Binarizer', 'LabelEncoder', 'OneHotEncoder']);
