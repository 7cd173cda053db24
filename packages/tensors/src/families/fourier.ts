import { flagAttribute, intAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats, roundTo } from '../elements.js';
import { type Complex, complexZeros, fourierSpace, fourierTransform, inverseOf } from '../fourier.js';
import { type Floats, type NumberData, newData, onlyElement, optionalInput, tensorInput, tensorOf } from '../inputs.js';
import { countOf } from '../moving.js';
import { blockOf, forEachIndex, interruptible } from '../pauses.js';
import { normalizeAxis, shown } from '../shapes.js';
import { elementCount, type Tensor } from '../tensor.js';

/**
 * Operators that compute spectra of signals. The last axis holds complex numbers: real and
 * imaginary part, or the real part alone.
 */
export const fourier = tensorOperators(
  interruptible({ domain: '', operator: 'DFT', versions: [17, 25], steps: discreteTransform }),
  interruptible({ domain: '', operator: 'STFT', versions: [17, 25], steps: shortTimeTransform }),
);

/** One Fourier transform of a given length. The result has the first `kept` entries. */
interface Transform {
  readonly length: number;
  readonly kept: number;
  readonly inverse: boolean;
  readonly onesided: boolean;
}

/**
 * Returns a function that transforms complex numbers in place. Before it inverts a one-sided
 * spectrum, it fills the missing half with conjugates.
 */
function transformer(call: TensorCall, { length, inverse, onesided }: Transform): (values: Complex) => void {
  call.budget.take(fourierSpace(length));
  const transform = fourierTransform(length);
  if (!inverse) return transform;
  return (values) => {
    if (onesided) mirror(values, length);
    inverseOf(transform, values);
    for (let at = 0; at < length; at++) {
      values.re[at]! /= length;
      values.im[at]! /= length;
    }
  };
}

/**
 * Fills the second half of a one-sided spectrum with conjugates. The signal is real, so the entries
 * at the lowest and highest frequency become real.
 */
function mirror({ re, im }: Complex, length: number): void {
  im[0] = 0;
  if (length % 2 === 0) im[length / 2] = 0;
  for (let at = 1; 2 * at < length; at++) {
    re[length - at] = re[at]!;
    im[length - at] = -im[at]!;
  }
}

function* discreteTransform(call: TensorCall): OperatorSteps {
  const input = tensorInput(call, 0, floats);
  const { shape } = input;
  const parts = partsOf(call, shape);
  const axis = axisOf(call, shape.length);
  const [inverse, onesided] = [flagAttribute(call, 'inverse', false), flagAttribute(call, 'onesided', false)];
  if (onesided && parts !== (inverse ? 2 : 1))
    throw call.fault(
      `onesided = 1 for ${inverse ? 'real entries' : 'a complex signal'}`,
      inverse
        ? 'complex entries for an inverse transform with onesided = 1'
        : 'a real signal for a transform with onesided = 1',
    );
  const size = shape[axis]!;
  const length = integer(call, 1, 'dft_length') ?? (inverse && onesided ? 2 * (size - 1) : size);
  checkLength(call, length);
  const kept = onesided && !inverse ? Math.floor(length / 2) + 1 : length;
  return [yield* transformed(call, input, axis, { length, kept, inverse, onesided })];
}

function checkLength(call: TensorCall, length: number): void {
  if (length < 1) throw call.fault(`a transform of length ${length}`, 'a transform of length 1 or greater');
}

function partsOf(call: TensorCall, shape: readonly number[]): number {
  const parts = shape.at(-1);
  if (shape.length >= 2 && (parts === 1 || parts === 2)) return parts;
  throw call.fault(`a signal of shape ${shown(shape)}`, 'a last axis of size 1 (real) or 2 (real and imaginary part)');
}

/**
 * Returns the axis to transform, which is never the last axis. The axis is an attribute in version
 * 17, and an input in later versions.
 */
function axisOf(call: TensorCall, rank: number): number {
  const given = call.opset < 20 ? intAttribute(call, 'axis', 1) : (integer(call, 2, 'axis') ?? -2);
  const axis = normalizeAxis(given, rank, call);
  if (axis < rank - 1) return axis;
  throw call.fault(
    `axis ${given} of ${rank}`,
    'an axis before the last axis, which holds the parts of complex numbers',
  );
}

function integer(call: TensorCall, index: number, what: string): number | undefined {
  const given = optionalInput(call, index, ['int64', 'int32']);
  return given && Number(onlyElement(call, given, what));
}

/** A Fourier transform takes about as long as this many multiplications for each entry. */
const LINE_PRODUCTS = 32;

/** Applies a Fourier transform to each line of a tensor along an axis. Pauses between lines. */
function* transformed(call: TensorCall, input: Floats, axis: number, how: Transform): OperatorSteps<Tensor> {
  const { element, shape, data } = input;
  const [size, parts] = [shape[axis]!, shape.at(-1)!];
  const partsOut = how.inverse && how.onesided ? 1 : 2;
  const shapeOut = [...shape.slice(0, axis), how.kept, ...shape.slice(axis + 1, -1), partsOut];
  countOf(call, shapeOut);
  const out = newData(call, element, shapeOut) as NumberData;
  const [before, after] = [elementCount(shape.slice(0, axis)), elementCount(shape.slice(axis + 1, -1))];
  if (out.length === 0) return tensorOf(element, shapeOut, out);
  const run = transformer(call, how);
  const read = Math.min(size, how.inverse && how.onesided ? Math.floor(how.length / 2) + 1 : how.length);
  const values = complexZeros(how.length);
  const transformLine = (line: number) => {
    const [outer, inner] = [Math.floor(line / after), line % after];
    values.re.fill(0);
    values.im.fill(0);
    for (let at = 0; at < read; at++) {
      const from = ((outer * size + at) * after + inner) * parts;
      values.re[at] = data[from]!;
      values.im[at] = parts === 2 ? data[from + 1]! : 0;
    }
    run(values);
    for (let at = 0; at < how.kept; at++) {
      const to = ((outer * how.kept + at) * after + inner) * partsOut;
      out[to] = values.re[at]!;
      if (partsOut === 2) out[to + 1] = values.im[at]!;
    }
  };
  yield* forEachIndex(call, before * after, transformLine, blockOf(LINE_PRODUCTS * how.length));
  return tensorOf(element, shapeOut, roundTo(element, out));
}

/**
 * Computes the spectra of windowed frames of a signal. The frames start `frame_step` entries apart.
 */
function* shortTimeTransform(call: TensorCall): OperatorSteps {
  const signal = tensorInput(call, 0, floats);
  const parts = partsOf(call, signal.shape);
  const [batch, samples] = signal.shape as [number, number, number];
  if (signal.shape.length !== 3)
    throw call.fault(`a signal of shape ${shown(signal.shape)}`, 'a signal [batch, samples, 1 or 2]');
  const window = optionalInput(call, 2, [signal.element]) as Floats | undefined;
  if (window !== undefined && window.shape.length !== 1)
    throw call.fault(`a window of shape ${shown(window.shape)}`, 'a window with one axis');
  const step = integer(call, 1, 'frame_step') ?? 0;
  if (step < 1) throw call.fault(`a frame_step of ${step}`, 'a frame_step of 1 or greater');
  const length = integer(call, 3, 'frame_length') ?? window?.shape[0] ?? samples;
  checkLength(call, length);
  if (length > samples)
    throw call.fault(`a frame of ${length} in a signal of ${samples}`, 'a frame that fits into the signal');
  const onesided = flagAttribute(call, 'onesided', true);
  if (onesided && parts === 2)
    throw call.fault('onesided = 1 for a complex signal', 'onesided = 0 for a complex signal');
  const width = Math.min(window?.shape[0] ?? length, length);
  const frames = 1 + Math.floor((samples - length) / step);
  const shape = [batch, frames, length, parts];
  countOf(call, shape);
  const framed = newData(call, 'float64', shape) as NumberData;
  yield* forEachIndex(
    call,
    batch * frames,
    (frame) => {
      const start = Math.floor(frame / frames) * samples + (frame % frames) * step;
      for (let at = 0; at < width * parts; at++) {
        const weight = window === undefined ? 1 : window.data[Math.floor(at / parts)]!;
        framed[frame * length * parts + at] = signal.data[start * parts + at]! * weight;
      }
    },
    blockOf(length),
  );
  const kept = onesided ? Math.floor(length / 2) + 1 : length;
  const how = { length, kept, inverse: false, onesided };
  return [yield* transformed(call, { element: signal.element, shape, data: framed } as unknown as Floats, 2, how)];
}
