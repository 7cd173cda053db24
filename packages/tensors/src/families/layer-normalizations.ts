import { floatAttribute } from '../attributes.js';
import { indexMapOf } from '../broadcast.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import { computed, type Floats, tensorInput } from '../inputs.js';
import { checkBroadcast } from '../shapes.js';
import type { Tensor } from '../tensor.js';
import { layerNormalization, rmsNormalization } from './normalize.js';

/**
 * Layer normalizations that onnxruntime defines: LayerNormalization in the standard domain before
 * operator set 17, and the fused operators of onnxruntime's optimizer.
 */
export const layerNormalizations = tensorOperators(
  { domain: '', operator: 'LayerNormalization', versions: [1, 16], run: layerNormalization },
  { domain: '', operator: 'SimplifiedLayerNormalization', versions: [1, 25], run: rmsNormalization },
  {
    domain: 'com.microsoft',
    operator: 'SkipLayerNormalization',
    versions: [1, 1],
    run: (call) => skipped(call, layerNormalization, { gamma: 2, beta: 3, bias: 4 }),
  },
  {
    domain: 'com.microsoft',
    operator: 'SkipSimplifiedLayerNormalization',
    versions: [1, 1],
    run: (call) => skipped(call, rmsNormalization, { gamma: 2, bias: 3 }),
  },
);

/** Indices of a node's inputs. An input that the node lacks has no index. */
interface Inputs {
  readonly gamma: number;
  readonly beta?: number;
  readonly bias?: number;
}

/**
 * Adds input, skip and bias, and normalizes the sum along the last axis. Returns the outputs of
 * `normalize`, and then the sum.
 */
function skipped(call: TensorCall, normalize: (call: TensorCall) => Tensor[], indices: Inputs): Tensor[] {
  const at = (index: number | undefined) => (index === undefined ? undefined : call.inputs[index]);
  const sum = summed(call, [0, 1, ...(at(indices.bias) === undefined ? [] : [indices.bias!])]);
  const inputs = [sum, at(indices.gamma), at(indices.beta)];
  const attributes = { ...call.attributes, axis: -1, epsilon: floatAttribute(call, 'epsilon', Math.fround(1e-12)) };
  const [result, ...statistics] = normalize({ ...call, inputs, attributes, outputs: 3 });
  return [result!, statistics[0], statistics[1], sum].slice(0, call.outputs) as Tensor[];
}

/**
 * Adds the inputs with these indices, broadcast to the first of them. Rounds after each addition.
 */
function summed(call: TensorCall, indices: readonly number[]): Floats {
  const [first, ...others] = indices.map((index) => tensorInput(call, index, floats)) as [Floats, ...Floats[]];
  return others.reduce((sum, other) => {
    checkBroadcast(other.shape, sum.shape, call);
    const indexAt = indexMapOf(other.shape, sum.shape, call);
    return computed(call, sum.element, sum.shape, (at) => sum.data[at]! + other.data[indexAt(at)]!) as Floats;
  }, first);
}
