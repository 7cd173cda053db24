import { countOf, countSum, dense, type FastKernel, type SparseBlock, sizeOf } from '@brezel/core';
import { float32View } from './float32-view.js';

/**
 * A float64 number holds the sum of this many weights of 30 bits exactly. Rows with more
 * occurrences use bigints.
 */
const MOST_OCCURRENCES = 2 ** 22;

/** Scratch memory for the sums of one row, one for each output. */
let sums = new Float64Array(1);

/**
 * Computes dense float32 scores from the counts of sparse inputs (native/README.md:
 * `count_linear`). The parameters are the integer weights of each input (all outputs of one column,
 * then of the next column), the scale of all weights, and the bias. The attribute says whether each
 * entry counts once.
 */
export const countLinear: FastKernel = ({ rows, inputs, type, attributes, parameters }) => {
  const outputs = sizeOf(type);
  const blocks = inputs as readonly SparseBlock[];
  const weights = inputs.map((_, branch) => int32View(parameters[branch]!));
  const scale = float64In(parameters[inputs.length]!);
  const bias = float32View(parameters[inputs.length + 1]!);
  const each = attributes[0] === 1;
  const scores = new Float32Array(rows * outputs);
  if (sums.length < outputs) sums = new Float64Array(outputs);
  for (let row = 0; row < rows; row++) {
    const isShort = occurrencesOf(blocks, row, each) <= MOST_OCCURRENCES;
    if (isShort) addRow(blocks, row, weights, outputs, each);
    else addLongRow(blocks, row, weights, outputs, each);
    for (let output = 0; output < outputs; output++)
      scores[row * outputs + output] = Math.fround(sums[output]! * scale) + bias[output]!;
  }
  return dense('float32', rows, outputs, scores);
};

function occurrencesOf(blocks: readonly SparseBlock[], row: number, each: boolean): number {
  let occurrences = 0;
  for (const { offsets, values } of blocks) {
    const [first, end] = [offsets[row]!, offsets[row + 1]!];
    if (each) occurrences += end - first;
    else for (let entry = first; entry < end; entry++) occurrences += countOf(values[entry]!);
  }
  return occurrences;
}

function addRow(
  blocks: readonly SparseBlock[],
  row: number,
  weights: readonly Int32Array[],
  outputs: number,
  each: boolean,
): void {
  sums.fill(0, 0, outputs);
  for (let branch = 0; branch < blocks.length; branch++) {
    const { offsets, ids, values } = blocks[branch]!;
    const [first, end] = [offsets[row]!, offsets[row + 1]!];
    if (outputs === 1 && each) sums[0] = sums[0]! + sumOfWeights(ids, first, end, weights[branch]!);
    else addProducts(ids, values, first, end, weights[branch]!, outputs, each);
  }
}

/** Returns the sum of the weights of entries. Four partial sums do not wait for each other. */
function sumOfWeights(ids: Uint32Array, first: number, end: number, weights: Int32Array): number {
  let sum0 = 0;
  let sum1 = 0;
  let sum2 = 0;
  let sum3 = 0;
  let at = first;
  for (; at + 3 < end; at += 4) {
    sum0 += weights[ids[at]!]!;
    sum1 += weights[ids[at + 1]!]!;
    sum2 += weights[ids[at + 2]!]!;
    sum3 += weights[ids[at + 3]!]!;
  }
  for (; at < end; at++) sum0 += weights[ids[at]!]!;
  return sum0 + sum1 + (sum2 + sum3);
}

function addProducts(
  ids: Uint32Array,
  values: Float32Array,
  first: number,
  end: number,
  weights: Int32Array,
  outputs: number,
  each: boolean,
): void {
  for (let entry = first; entry < end; entry++) {
    const count = each ? 1 : countOf(values[entry]!);
    const weight = ids[entry]! * outputs;
    for (let output = 0; output < outputs; output++) sums[output] = sums[output]! + count * weights[weight + output]!;
  }
}

function addLongRow(
  blocks: readonly SparseBlock[],
  row: number,
  weights: readonly Int32Array[],
  outputs: number,
  each: boolean,
): void {
  for (let output = 0; output < outputs; output++) {
    const parts = blocks.map((block, branch) => countSum(block, row, weights[branch]!, outputs, output, each));
    sums[output] = Number(parts.reduce((sum, part) => sum + part, 0n));
  }
}

const float64In = ({ buffer, byteOffset }: Uint8Array) => new DataView(buffer, byteOffset).getFloat64(0, true);

const views = new WeakMap<Uint8Array, Int32Array>();

/** Returns the integers of a parameter. Caches the view, because creating one takes long. */
function int32View(bytes: Uint8Array): Int32Array {
  let view = views.get(bytes);
  if (view === undefined) {
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
    view = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 2);
    views.set(bytes, view);
  }
  return view;
}
