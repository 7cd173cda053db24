import { dtypeOf, printType } from '@brezel/core';
import type { Flow } from '../../flow.js';
import type { OnnxUse } from '../../onnx-mapping.js';
import { repeatRow } from '../constant-row/index.js';

/**
 * Returns both operands of a text operator as flows. A constant operand becomes a flow with the
 * same texts for every row; it must not have a row axis of more than one row.
 */
export function textOperands(use: OnnxUse): readonly [left: Flow, right: Flow] {
  const constants = [use.constant(0), use.constant(1)];
  const beside = use.row(constants[0] === undefined ? 0 : 1);
  const [left, right] = constants.map((constant, at) => {
    if (constant === undefined) return use.row(at);
    const rank = beside.kind === 'scalar' ? 1 : 2;
    const isRow = constant.shape.length <= rank && constant.shape.slice(0, -1).every((size) => size === 1);
    if (constant.dtype !== 'string' || !isRow || (rank === 1 && constant.data.length !== 1))
      throw use.unsupported(`${constant.dtype}[${constant.shape}] next to ${printType(beside.type)}`);
    return repeatRow(beside, {
      dtype: 'string',
      shape: rank === 1 ? [] : [constant.data.length],
      values: constant.data,
    });
  }) as [Flow, Flow];
  return [left, right];
}

/** Returns whether the first operand that depends on the row is a text. */
export function isOfTexts(use: OnnxUse): boolean {
  const at = use.constant(0) === undefined ? 0 : 1;
  return use.inputs[at]?.kind === 'row' && dtypeOf(use.row(at).type) === 'string';
}
