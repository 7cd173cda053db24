import { type NumericParameter, printType } from '@brezel/core';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import { repeatRow } from '../constant-row/index.js';
import { type Choice, choose } from './index.js';

export const onnx = onnxMappings({
  domain: '',
  operator: 'Where',
  versions: [9, 25],
  convert: (use) => [choose(use.row(0), choice(use, 1), choice(use, 2))],
});

/**
 * Returns an operand of the ONNX operator Where: a flow, or a constant. A constant must not have
 * several rows.
 */
function choice(use: OnnxUse, index: number): Choice {
  const constant = use.constant(index);
  if (constant === undefined) return use.row(index);
  const rank = use.row(0).kind === 'scalar' ? 1 : 2;
  const isRow = constant.shape.length <= rank && constant.shape.slice(0, -1).every((size) => size === 1);
  const isOne = constant.data.length === 1;
  if (!isRow || (rank === 1 && !isOne))
    throw use.unsupported(`${constant.dtype}[${constant.shape}] next to ${printType(use.row(0).type)}`);
  if (constant.dtype === 'string') {
    const shape = rank === 1 ? [] : [constant.data.length];
    return repeatRow(use.row(0), { dtype: 'string', shape, values: constant.data });
  }
  return { ...constant, shape: [constant.data.length] } as NumericParameter;
}
