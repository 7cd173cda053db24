import { choiceAttribute, floatAttribute, hasAttribute, intAttribute } from '../attributes.js';
import type { OperatorSteps, TensorCall } from '../define.js';
import { floats, rounding } from '../elements.js';
import { takeWork } from '../images.js';
import { type Floats, type NumberData, newData, optionalInput, tensorInput, tensorOf } from '../inputs.js';
import { checkLengths } from '../sequence-lengths.js';
import { type Shape, shown } from '../shapes.js';
import type { Tensor } from '../tensor.js';
import { type Activation, activationsOf } from './activations.js';
import type { Cell, Direction } from './cells.js';

export interface Layer {
  readonly gates: number;
  /** Default activations of a direction. */
  readonly activations: readonly string[];
  /** Whether the node is an LSTM, which has cell states and peepholes. */
  readonly hasCells?: boolean;
  readonly cell: Cell;
}

interface Sizes {
  readonly steps: number;
  readonly batch: number;
  readonly width: number;
  readonly hidden: number;
  readonly directions: number;
}

/**
 * Runs a recurrent node: each sequence of each direction separately, one time step after another,
 * in float64. States are rounded after every time step.
 *
 * @returns all hidden states, the last hidden states, and the last cell states.
 */
export function* layerSteps(call: TensorCall, layer: Layer): OperatorSteps<readonly Tensor[]> {
  const x = tensorInput(call, 0, floats);
  const { element } = x;
  const isBatchFirst = intAttribute(call, 'layout', 0) === 1;
  const reverses = reversesOf(call);
  const sizes = sizesOf(call, x, layer.gates, reverses.length, isBatchFirst);
  const { steps, batch, width, hidden, directions } = sizes;
  const lengths = lengthsOf(call, sizes);
  const stateShape = isBatchFirst ? [batch, directions, hidden] : [directions, batch, hidden];
  const first = [stateInput(call, 5, element, stateShape), layer.hasCells && stateInput(call, 6, element, stateShape)];
  const ways = directionsOf(call, layer, sizes, element);
  takeWork(call, steps * batch * directions * layer.gates * hidden * (width + hidden));
  const yShape = isBatchFirst ? [batch, steps, directions, hidden] : [steps, directions, batch, hidden];
  const shapes = [yShape, stateShape, stateShape];
  const [y, lastH, lastC] = shapes.map((shape) => newData(call, element, shape)) as [
    NumberData,
    NumberData,
    NumberData,
  ];
  const round = rounding(element);
  for (const [direction, way] of ways.entries())
    for (let row = 0; row < batch; row++) {
      const at = (isBatchFirst ? row * directions + direction : direction * batch + row) * hidden;
      let [h, c] = first.map((data) => new Float64Array(hidden).map((_, unit) => (data ? data[at + unit]! : 0)));
      const length = lengths?.[row] ?? steps;
      for (let done = 0; done < length; done++) {
        const step = reverses[direction] ? length - 1 - done : done;
        const from = (isBatchFirst ? row * steps + step : step * batch + row) * width;
        const next = layer.cell(way, way.input(x.data, from), { h: h!, c: c! });
        [h, c] = [next.h.map(round), next.c.map(round)];
        write(
          y,
          isBatchFirst ? (row * steps + step) * directions + direction : (step * directions + direction) * batch + row,
          h,
        );
        if (call.isOver?.()) yield;
      }
      write(lastH, at / hidden, h!);
      write(lastC, at / hidden, c!);
    }
  const outputs = [y, lastH, lastC].map((data, at) => tensorOf(element, shapes[at]!, data));
  return layer.hasCells ? outputs : outputs.slice(0, 2);
}

function write(into: NumberData, block: number, values: Float64Array): void {
  for (let unit = 0; unit < values.length; unit++) into[block * values.length + unit] = values[unit]!;
}

/** Returns, for each direction, whether it runs from the last time step to the first. */
function reversesOf(call: TensorCall): boolean[] {
  const direction = choiceAttribute(call, 'direction', ['forward', 'reverse', 'bidirectional'], 'forward');
  return direction === 'bidirectional' ? [false, true] : [direction === 'reverse'];
}

function sizesOf(call: TensorCall, x: Floats, gates: number, directions: number, isBatchFirst: boolean): Sizes {
  const w = tensorInput(call, 1, [x.element]);
  const hidden = intAttribute(call, 'hidden_size', (w.shape[1] ?? 0) / gates);
  const [one, two, width] = x.shape as [number, number, number];
  if (x.shape.length !== 3 || shown(w.shape) !== shown([directions, gates * hidden, width]))
    throw call.fault(
      `W ${shown(w.shape)} for X ${shown(x.shape)}`,
      `X [${isBatchFirst ? 'batch, steps' : 'steps, batch'}, width] and W [${directions}, ${gates} * hidden, width]`,
    );
  const [steps, batch] = isBatchFirst ? [two, one] : [one, two];
  return { steps, batch, width, hidden, directions };
}

function lengthsOf(call: TensorCall, { steps, batch }: Sizes): Int32Array | undefined {
  const lengths = optionalInput(call, 4, ['int32']);
  if (lengths === undefined) return undefined;
  const data = lengths.data.slice(); // the caller may change the input during a pause
  checkLengths({ ...lengths, data }, batch, steps, call);
  return data;
}

/**
 * Returns the data of an optional input, or undefined if it is missing. Throws if the input does
 * not have the given shape.
 */
function stateInput(call: TensorCall, index: number, element: Floats['element'], shape: Shape) {
  const tensor = optionalInput(call, index, [element]);
  if (tensor === undefined || shown(tensor.shape) === shown(shape)) return tensor?.data;
  throw call.fault(`input ${index} of shape ${shown(tensor.shape)}`, `input ${index} of shape ${shown(shape)}`);
}

interface Way extends Direction {
  /**
   * Computes `W · x + Wb` of all gates for the time step whose input starts at index `from` of `x`.
   */
  input(x: NumberData, from: number): Float64Array;
}

function directionsOf(call: TensorCall, layer: Layer, sizes: Sizes, element: Floats['element']): Way[] {
  const { width, hidden, directions } = sizes;
  const rows = layer.gates * hidden;
  const w = stateInput(call, 1, element, [directions, rows, width])!;
  const r = stateInput(call, 2, element, [directions, rows, hidden]);
  if (r === undefined) throw call.fault('no input 2', 'the recurrent weights as input 2');
  const b = stateInput(call, 3, element, [directions, 2 * rows]);
  const p = layer.hasCells ? stateInput(call, 7, element, [directions, 3 * hidden]) : undefined;
  const activations = clipped(call, activationsOf(call, layer.activations, directions));
  const bias = (at: number) => b?.[at] ?? 0;
  return Array.from({ length: directions }, (_, way) => ({
    hidden,
    activations: activations[way]!,
    peepholes: new Float64Array(3 * hidden).map((_, at) => p?.[way * 3 * hidden + at] ?? 0),
    input: (x, from) =>
      new Float64Array(rows).map(
        (_, row) => bias(way * 2 * rows + row) + dot(w, (way * rows + row) * width, x, from, width),
      ),
    recurrent: (first, gates, h) =>
      new Float64Array(gates * hidden).map((_, at) => {
        const row = first * hidden + at;
        return bias((way * 2 + 1) * rows + row) + dot(r, (way * rows + row) * hidden, h, 0, hidden);
      }),
  }));
}

/** Returns the dot product of `size` numbers, added in order in float64. */
function dot(a: NumberData, aFrom: number, b: NumberData, bFrom: number, size: number): number {
  let sum = 0;
  for (let at = 0; at < size; at++) sum += a[aFrom + at]! * b[bFrom + at]!;
  return sum;
}

/**
 * Clamps the inputs of gates to `clip`. The input of the third activation (the cell state of an
 * LSTM) is not clamped, as in onnxruntime.
 */
function clipped(call: TensorCall, activations: Activation[][]): Activation[][] {
  if (!hasAttribute(call, 'clip')) return activations;
  const most = floatAttribute(call, 'clip');
  if (!(most >= 0)) throw call.fault(`clip ${most}`, 'clip 0 or greater');
  const within = (x: number) => (x > most ? most : x < -most ? -most : x);
  return activations.map((way) => way.map((apply, at) => (at === 2 ? apply : (x) => apply(within(x)))));
}
