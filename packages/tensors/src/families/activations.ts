import { choiceAttribute, floatAttribute } from '../attributes.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { floats, signedIntegers } from '../elements.js';
import type { KernelFunction } from '../kernels.js';
import { functions, type ShapedFunction, shapedFunctions, usualShapes } from '../shared/functions.js';
import { each } from './each.js';

export const { softplus } = functions;

/**
 * The functions of Gelu for each value of its attribute `approximate`: exact with erf, or
 * approximated with tanh.
 */
export const geluForms = { none: functions.gelu, tanh: functions.geluTanh } as const;

const geluForm = (call: TensorCall) => choiceAttribute(call, 'approximate', ['none', 'tanh'], 'none');

const activation = (
  operator: string,
  since: number,
  functionOf: (call: TensorCall) => (x: number) => number,
  kernelOf?: (call: TensorCall) => KernelFunction,
) => each(operator, floats, since, (call) => ({ number: functionOf(call), kernel: kernelOf?.(call) }));

/** Reads an attribute whose default is rounded to float32, because ONNX attributes are float32. */
const attribute = (call: TensorCall, name: string, otherwise: number): number =>
  floatAttribute(call, name, Math.fround(otherwise));

/**
 * Declares an operator whose function has settings, such as the slope of LeakyRelu. The attributes
 * of a node hold the settings.
 */
function shaped(
  operator: string,
  since: number,
  name: ShapedFunction,
  attributes: readonly string[],
  kernel?: KernelFunction[0],
) {
  const numbers = (call: TensorCall) => attributes.map((key, at) => attribute(call, key, usualShapes[name][at]!));
  return activation(
    operator,
    since,
    (call) => {
      const [alpha = 0, beta = 0] = numbers(call);
      return (x) => shapedFunctions[name](x, alpha, beta);
    },
    kernel && ((call) => [kernel, ...numbers(call)] as unknown as KernelFunction),
  );
}

/**
 * Activations of neural networks, computed in float64 and rounded once. They use the functions of
 * the row operator `map`.
 */
export const activations = tensorOperators(
  each('Relu', [...floats, ...signedIntegers], 1, () => ({
    kernel: ['relu'],
    number: functions.relu,
    big: (x) => (x > 0n ? x : 0n),
  })),
  activation(
    'Sigmoid',
    1,
    () => functions.sigmoid,
    () => ['sigmoid'],
  ),
  activation('Softplus', 1, () => softplus),
  activation('Softsign', 1, () => functions.softsign),
  shaped('LeakyRelu', 1, 'leakyRelu', ['alpha'], 'leakyRelu'),
  shaped('Elu', 1, 'elu', ['alpha']),
  activation('Selu', 1, (call) => {
    const [first, second] = call.opset < 6 ? [1.6732, 1.0507] : usualShapes.selu;
    const [alpha, gamma] = [attribute(call, 'alpha', first), attribute(call, 'gamma', second!)];
    return (x) => shapedFunctions.selu(x, alpha, gamma);
  }),
  shaped('Celu', 12, 'celu', ['alpha']),
  shaped('HardSigmoid', 1, 'hardSigmoid', ['alpha', 'beta'], 'hardSigmoid'),
  activation(
    'HardSwish',
    14,
    () => functions.hardSwish,
    () => ['hardSwish'],
  ),
  shaped('ThresholdedRelu', 1, 'thresholdedRelu', ['alpha']),
  activation(
    'Gelu',
    20,
    (call) => geluForms[geluForm(call)],
    (call) => [geluForm(call) === 'none' ? 'gelu' : 'geluTanh'],
  ),
  activation('Mish', 18, () => functions.mish),
  shaped('Swish', 24, 'swish', ['alpha'], 'swish'),
);
