import { printType } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import { cubeValues } from '../one-hot/cube.js';
import './index.js';

export const onnx = onnxMappings({
  domain: '',
  operator: 'Concat',
  versions: [4, 25],
  raise(use) {
    const axis = use.attributes.int('axis');
    const flows = use.inputs.map((_, index) => use.row(index) as Flow<'vector'>);
    // One-hot columns have an axis of their own. Of one value a row, joining along it is joining columns.
    const values = flows.map(cubeValues);
    const isCategoryAxis = axis === 2 || (axis === -1 && values.every((one) => one !== undefined));
    if (isCategoryAxis ? values.some((one) => one !== 1) : axis !== 1 && axis !== -1)
      throw use.unsupported(`Concat on axis ${axis}`, 'rows are joined only along axis 1, their features');
    return [joined(use, flows)];
  },
});

/** Vectors one after the other, of one element type. */
function joined(use: OnnxUse, flows: readonly Flow<'vector'>[]): Flow<'vector'> {
  const scalar = flows.find((flow) => flow.kind !== 'vector');
  if (scalar !== undefined) throw use.unsupported(`Concat of a value of shape [N] (${printType(scalar.type)})`);
  const [first, ...others] = flows;
  if (first === undefined) throw use.unsupported('Concat of nothing');
  return others.length === 0 ? first : first.concat(...others);
}
