import { ofNumbers, onlyInput } from '../../checks.js';
import { ENTRY_NANOS, FUNCTION_NANOS } from '../../costs.js';
import { defineOp, type OperatorUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { passesMissing } from '../../missing.js';
import { floatBits, placeOf } from '../../numbers.js';
import '../densify/index.js';
import {
  functions,
  isShaped,
  type MapFunction,
  type PlainFunction,
  type ShapedFunction,
  shapedFunctions,
  usualShapes,
} from '@brezel/tensors';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

const names = [...Object.keys(functions), ...Object.keys(shapedFunctions)];
const cheap: ReadonlySet<string> = new Set([
  'relu',
  'negate',
  'abs',
  'sqrt',
  'reciprocal',
  'sign',
  'floor',
  'ceil',
  'round',
  'softsign',
  'hardSwish',
  'leakyRelu',
  'hardSigmoid',
  'thresholdedRelu',
  'shrink',
  'affine',
] satisfies MapFunction[]);

/**
 * Defines the operator `map`, which applies a function to every element. `Flow.map` adds it to a
 * program.
 *
 * Types: float32[n] or float64[n] → the same.
 */
export const map = defineOp({
  name: 'map',
  version: 1,
  doc: {
    does: 'Applies a function to every element.',
    types: 'float32[n] or float64[n] → the same',
    attributes: {
      function: names.join(', '),
      alpha: 'first setting of the function, a float32',
      beta: 'second setting of the function, a float32',
    },
    kernels: ['map'],
  },
  attributes: { function: 'infer', alpha: 'infer', beta: 'infer' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    placeOf('map', 'function', use.attributes.function, names);
    checkShape(use);
    return ofNumbers('map', onlyInput('map', use, 'scalar', 'vector'), 'float32', 'float64');
  },
  reference,
  contributions,
  cost: ({ attributes, entries }) =>
    entries.output * (cheap.has(attributes.function as string) ? 2 * ENTRY_NANOS : FUNCTION_NANOS),
  missing: passesMissing,
  kernel: ({ attributes }) => ({
    kernel: 'map',
    attributes: [
      names.indexOf(attributes.function as string),
      ...(isShaped(attributes.function as string)
        ? [attributes.alpha, attributes.beta ?? 0].map((value) => floatBits(value as number))
        : []),
    ],
  }),
});

/**
 * Checks that a function has exactly the settings (alpha, beta) that it needs, and that they are
 * finite float32 numbers.
 */
function checkShape({ attributes }: OperatorUse): void {
  const name = attributes.function as string;
  const count = isShaped(name) ? usualShapes[name].length : 0;
  const given = [attributes.alpha, attributes.beta];
  const isFloat = (value: unknown) => Number.isFinite(value) && Math.fround(value as number) === value;
  if (given.every((value, at) => (at < count ? isFloat(value) : value === undefined))) return;
  throw flourError('ERR_FLOUR_PARAM', {
    expected: `${count} finite float32 numbers`,
    received: given.map(String).join(', '),
    at: `map ${name}`,
  });
}

/** The settings (alpha and beta) of a function of the operator `map`, rounded to float32. */
export interface MapShape {
  readonly alpha?: number;
  readonly beta?: number;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Applies a function to every element.
     *
     * Functions: exp, log, sigmoid, tanh, relu, negate, abs, sqrt, reciprocal, sign, floor, ceil,
     * round, sin, cos, tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh, erf, softplus,
     * softsign, hardSwish, gelu, geluTanh, mish. These functions have settings with the defaults of
     * ONNX: leakyRelu, elu, celu, thresholdedRelu, swish (alpha); selu, hardSigmoid, affine,
     * scaledTanh, scaledSoftplus (alpha, beta); shrink (lambda as alpha, bias as beta).
     *
     * Shapes: dense float32 or float64, any size → the same. Cost: O(n), 5 to 30 ns per element for
     * exp and similar functions. Bit-equal on every engine; in float64, exp and similar functions
     * are within 1e-14 of the true value.
     * @throws ERR_FLOUR_PARAM for a setting that is not finite, or that the function does not have.
     * @see Source: ONNX Exp, Log, Sigmoid, Tanh, Relu, Neg, Abs, Sqrt, Reciprocal, Sign, Floor,
     * Ceil, Sin, Erf, Softplus, LeakyRelu, ...
     * @example scores.map('sigmoid')
     * @example scores.map('leakyRelu', { alpha: 0.1 })
     */
    map(this: Flow<'vector', Row, unknown>, name: PlainFunction): Flow<'vector', Row>;
    map(this: Flow<'scalar', Row, unknown>, name: PlainFunction): Flow<'scalar', Row>;
    map(this: Flow<'vector', Row, unknown>, name: ShapedFunction, shape?: MapShape): Flow<'vector', Row>;
    map(this: Flow<'scalar', Row, unknown>, name: ShapedFunction, shape?: MapShape): Flow<'scalar', Row>;
  }
}

Flow.prototype.map = function (
  this: Flow<'vector' | 'scalar', unknown, unknown>,
  name: MapFunction,
  shape: MapShape = {},
) {
  const source = this.kind === 'vector' ? (this as Flow<'vector'>).densify() : this;
  const usual = isShaped(name) ? usualShapes[name] : [];
  const [alpha = usual[0], beta = usual[1]] = [shape.alpha, shape.beta];
  const given = { ...(alpha !== undefined && { alpha }), ...(beta !== undefined && { beta }) };
  const rounded = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, typeof value === 'number' ? Math.fround(value) : value]),
  );
  return this.context.apply(map, [source], { attributes: { function: name, ...rounded } }) as never;
};
