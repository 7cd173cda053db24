import { dtypeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { type OnnxMapping, type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import { onnxOperands } from '../arithmetic/operands.js';
import '../cast/index.js';
import '../../compositions/label-encode/index.js';
import '../map/index.js';
import { isOfTexts, textOperands } from '../string-concat/operands.js';
import { equalTexts } from './index.js';
import type { Comparison } from './reference.js';

const operators: readonly (readonly [operator: string, comparison: Comparison])[] = [
  ['Greater', 'greater'],
  ['Less', 'less'],
  ['Equal', 'equal'],
  ['GreaterOrEqual', 'greaterOrEqual'],
  ['LessOrEqual', 'lessOrEqual'],
];

export const onnx = onnxMappings(
  ...operators.map(
    ([operator, comparison]): OnnxMapping => ({
      domain: '',
      operator,
      versions: [1, 25],
      convert(use) {
        const whole = operator === 'Equal' ? equalWhole(use) : undefined;
        if (whole !== undefined) return [whole];
        if (operator === 'Equal' && isOfTexts(use)) return [equalTexts(...textOperands(use))];
        const { flows, constant, side } = onnxOperands(use);
        return [(flows[0] as Flow<'vector'>).compare(comparison, constant ?? (flows[1] as Flow<'vector'>), side)];
      },
    }),
  ),
  {
    domain: '',
    operator: 'IsNaN',
    versions: [9, 25],
    /**
     * Converts IsNaN to the negation of `x == x`, because NaN is the only value that does not equal
     * itself.
     */
    convert(use) {
      const flow = use.row(0) as Flow<'vector'>;
      return [flow.compare('equal', flow).compare('equal', 0)];
    },
  },
  {
    domain: '',
    operator: 'IsInf',
    versions: [10, 25],
    convert(use) {
      const flow = use.row(0) as Flow<'vector'>;
      const [above, below] = ['detect_positive', 'detect_negative'].map((name) => use.attributes.int(name, 1) !== 0);
      const { POSITIVE_INFINITY, NEGATIVE_INFINITY } = Number;
      if (above && below) return [flow.map('abs').compare('equal', POSITIVE_INFINITY)];
      if (!above && !below) return [flow.compare('less', Number.NaN)]; // never true
      return [flow.compare('equal', above ? POSITIVE_INFINITY : NEGATIVE_INFINITY)];
    },
  },
  {
    domain: '',
    operator: 'Not',
    versions: [1, 25],
    convert(use) {
      const flow = use.row(0) as Flow<'vector'>;
      if (dtypeOf(flow.type) !== 'bool') throw use.unsupported(`an input of type ${dtypeOf(flow.type)}`);
      return [flow.cast('float32').compare('equal', 0)];
    },
  },
);

/**
 * Converts a node Equal that compares integers or texts with one constant. The result is a lookup
 * whose only key is the constant. Graphs that count the votes of classifiers contain such nodes.
 * Returns undefined for nodes with other inputs.
 */
function equalWhole(use: OnnxUse): Flow | undefined {
  const constants = [use.constant(0), use.constant(1)];
  const at = constants.findIndex((constant) => ['int64', 'int32', 'string'].includes(constant?.dtype ?? ''));
  const constant = constants[at];
  if (constant === undefined || constant.data.length !== 1) return undefined;
  const flow = use.row(1 - at) as Flow<'vector'>;
  const axes = (flow.kind as string) === 'scalar' ? 1 : 2;
  if (!['scalar', 'vector'].includes(flow.kind) || dtypeOf(flow.type) !== constant.dtype) return undefined;
  if (constant.shape.length > axes) return undefined; // the constant has more axes than the row
  const keys = constant.data as readonly string[] | BigInt64Array;
  return flow.labelEncode({ keys, values: [1], otherwise: 0, type: 'bool' });
}
