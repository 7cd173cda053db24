import { floatAttribute } from '../attributes.js';
import { indexMapOf } from '../broadcast.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import { computedSteps, type Floats, tensorInput } from '../inputs.js';
import { interruptible } from '../pauses.js';
import { checkBroadcast } from '../shapes.js';
import type { Tensor } from '../tensor.js';
import { layerNormalization, rmsNormalization } from './normalize.js';

/**
 * Layer normalizations that onnxruntime defines: LayerNormalization in the standard domain before
 * operator set 17, and the fused operators of onnxruntime's optimizer.
 */
export const layerNormalizations = tensorOperators(
  interruptible({ domain: '', operator: 'LayerNormalization', versions: [1, 16], steps: layerNormalization }),
  interruptible({ domain: '', operator: 'SimplifiedLayerNormalization', versions: [1, 25], steps: rmsNormalization }),
  interruptible({
    domain: 'com.microsoft',
    operator: 'SkipLayerNormalization',
    versions: [1, 1],
    steps: (call) => skipped(call, layerNormalization, { gamma: 2, beta: 3, bias: 4 }),
  }),
  interruptible({
    domain: 'com.microsoft',
    operator: 'SkipSimplifiedLayerNormalization',
    versions: [1, 1],
    steps: (call) => skipped(call, rmsNormalization, { gamma: 2, bias: 3 }),
  }),
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
function* skipped(
  call: TensorCall,
  normalize: (call: TensorCall) => OperatorSteps<Tensor[]>,
  indices: Inputs,
): OperatorSteps {
  const at = (index: number | undefined) => (index === undefined ? undefined : call.inputs[index]);
  const sum = yield* summed(call, [0, 1, ...(at(indices.bias) === undefined ? [] : [indices.bias!])]);
  const inputs = [sum, at(indices.gamma), at(indices.beta)];
  const attributes = { ...call.attributes, axis: -1, epsilon: floatAttribute(call, 'epsilon', Math.fround(1e-12)) };
  const [result, ...statistics] = yield* normalize({ ...call, inputs, attributes, outputs: 3 });
  return [result!, statistics[0], statistics[1], sum].slice(0, call.outputs) as Tensor[];
}

/**
 * Adds the inputs with these indices, broadcast to the first of them. Rounds after each addition.
 */
function* summed(call: TensorCall, indices: readonly number[]): OperatorSteps<Floats> {
  const [first, ...others] = indices.map((index) => tensorInput(call, index, floats)) as [Floats, ...Floats[]];
  let sum = first;
  for (const other of others) {
    checkBroadcast(other.shape, sum.shape, call);
    const indexAt = indexMapOf(other.shape, sum.shape, call);
    const { element, shape, data } = sum;
    sum = (yield* computedSteps(call, element, shape, (at) => data[at]! + other.data[indexAt(at)]!)) as Floats;
  }
  return sum;
}
