import {
  type Block,
  type DenseBlock,
  dense,
  type FastKernel,
  lanes as lanesOf,
  type SparseBlock,
  sizeOf,
} from '@brezel/core';
import { float32View } from './float32-view.js';

const fround = Math.fround;
/**
 * Scratch memory for partial sums. A lane holds one sum for each output, and the lanes are stored
 * one after the other. The function `lanes` returns the number of lanes: 16 for one output, fewer
 * for two to eight outputs, and one for more outputs.
 */
let sums = new Float32Array(16);

/**
 * Sums the products of one row with the weights of one branch. Writes one sum for each output to
 * the start of `sums`.
 */
type Branch<B extends Block> = (input: B, row: number, weights: Float32Array, outputs: number) => void;

/**
 * Computes dense float32 scores as a sum over branches (native/README.md: `linear`). Each input is
 * a branch. The parameters are the weights of each branch (all outputs of one column, then of the
 * next column), and then the bias. The sum of a branch uses several lanes. The sums of the branches
 * are added in order, and the bias last.
 */
export const linear: FastKernel = ({ rows, inputs, type, parameters }) => {
  const outputs = sizeOf(type);
  const weights = parameters.map(float32View);
  const bias = weights[inputs.length]!;
  const scores = new Float32Array(rows * outputs);
  if (sums.length < outputs) sums = new Float32Array(outputs);
  for (let at = 0; at < inputs.length; at++) {
    const input = inputs[at]!;
    if (input.kind === 'sparse') addBranch(input, sparseBranch(outputs), weights[at]!, scores, outputs, at === 0);
    else addBranch(input as DenseBlock<'float32'>, denseBranch(outputs), weights[at]!, scores, outputs, at === 0);
  }
  for (let score = 0; score < scores.length; score++) scores[score] = scores[score]! + bias[score % outputs]!;
  return dense('float32', rows, outputs, scores);
};

function addBranch<B extends Block>(
  input: B,
  branch: Branch<B>,
  weights: Float32Array,
  scores: Float32Array,
  outputs: number,
  first: boolean,
): void {
  for (let row = 0, at = 0; row < input.rows; row++) {
    branch(input, row, weights, outputs);
    for (let output = 0; output < outputs; output++, at++) {
      // storing to a Float32Array rounds
      scores[at] = first ? sums[output]! : scores[at]! + sums[output]!;
    }
  }
}

const sparseBranch = (outputs: number): Branch<SparseBlock> =>
  outputs === 1 ? sparseToOne : outputs === 2 ? sparseToTwo : sparseToMany;

const denseBranch = (outputs: number): Branch<DenseBlock<'float32'>> => (outputs === 1 ? denseToOne : denseToMany);

/**
 * Computes the sums of a sparse row with one output. The 16 lanes are local variables. The first
 * loop computes lanes 0 to 7, and the second loop computes lanes 8 to 15, because 16 sums do not
 * fit in the processor's registers.
 */
function sparseToOne({ offsets, ids, values }: SparseBlock, row: number, weights: Float32Array): void {
  const first = offsets[row]! | 0;
  const end = offsets[row + 1]! | 0;
  const rest = end - ((end - first) & 15);
  eightLanes(ids, values, weights, first, rest, 0);
  eightLanes(ids, values, weights, first + 8, rest, 8);
  const lanes = sums;
  for (let entry = rest, lane = 0; entry < end; entry++, lane++) {
    lanes[lane] = lanes[lane]! + fround(values[entry]! * weights[ids[entry]!]!);
  }
  fold(16, 1);
}

/**
 * Adds entries to the eight lanes from `sums[lane]` to `sums[lane + 7]`: the eight entries from
 * `first` on, the eight entries from `first + 16` on, and so on.
 */
function eightLanes(
  ids: Uint32Array,
  values: Float32Array,
  weights: Float32Array,
  first: number,
  end: number,
  lane: number,
): void {
  let s0 = fround(0);
  let s1 = fround(0);
  let s2 = fround(0);
  let s3 = fround(0);
  let s4 = fround(0);
  let s5 = fround(0);
  let s6 = fround(0);
  let s7 = fround(0);
  for (let at = first; at < end; at += 16) {
    s0 = fround(s0 + fround(values[at]! * weights[ids[at]!]!));
    s1 = fround(s1 + fround(values[at + 1]! * weights[ids[at + 1]!]!));
    s2 = fround(s2 + fround(values[at + 2]! * weights[ids[at + 2]!]!));
    s3 = fround(s3 + fround(values[at + 3]! * weights[ids[at + 3]!]!));
    s4 = fround(s4 + fround(values[at + 4]! * weights[ids[at + 4]!]!));
    s5 = fround(s5 + fround(values[at + 5]! * weights[ids[at + 5]!]!));
    s6 = fround(s6 + fround(values[at + 6]! * weights[ids[at + 6]!]!));
    s7 = fround(s7 + fround(values[at + 7]! * weights[ids[at + 7]!]!));
  }
  const lanes = sums;
  lanes[lane] = s0;
  lanes[lane + 1] = s1;
  lanes[lane + 2] = s2;
  lanes[lane + 3] = s3;
  lanes[lane + 4] = s4;
  lanes[lane + 5] = s5;
  lanes[lane + 6] = s6;
  lanes[lane + 7] = s7;
}

function sparseToTwo({ offsets, ids, values }: SparseBlock, row: number, weights: Float32Array): void {
  const first = offsets[row]!;
  const end = offsets[row + 1]!;
  const lanes = sums.fill(0, 0, 16);
  for (let entry = first, lane = 0; entry < end; entry++, lane = (lane + 2) & 15) {
    const value = values[entry]!;
    const weight = ids[entry]! * 2;
    lanes[lane] = lanes[lane]! + fround(value * weights[weight]!);
    lanes[lane + 1] = lanes[lane + 1]! + fround(value * weights[weight + 1]!);
  }
  fold(8, 2);
}

function sparseToMany(
  { offsets, ids, values }: SparseBlock,
  row: number,
  weights: Float32Array,
  outputs: number,
): void {
  const first = offsets[row]!;
  const end = offsets[row + 1]!;
  const width = lanesOf(outputs);
  sums.fill(0, 0, width * outputs);
  for (let entry = first; entry < end; entry++) {
    addProducts(values[entry]!, weights, ids[entry]! * outputs, ((entry - first) & (width - 1)) * outputs, outputs);
  }
  fold(width, outputs);
}

function denseToOne({ values, size }: DenseBlock<'float32'>, row: number, weights: Float32Array): void {
  const first = row * size;
  const lanes = sums.fill(0, 0, 16);
  for (let column = 0, lane = 0; column < size; column++, lane = (lane + 1) & 15) {
    lanes[lane] = lanes[lane]! + fround(values[first + column]! * weights[column]!);
  }
  fold(16, 1);
}

function denseToMany(
  { values, size }: DenseBlock<'float32'>,
  row: number,
  weights: Float32Array,
  outputs: number,
): void {
  const first = row * size;
  const width = lanesOf(outputs);
  sums.fill(0, 0, width * outputs);
  for (let column = 0; column < size; column++) {
    addProducts(values[first + column]!, weights, column * outputs, (column & (width - 1)) * outputs, outputs);
  }
  fold(width, outputs);
}

function addProducts(value: number, weights: Float32Array, weight: number, lane: number, outputs: number): void {
  const lanes = sums;
  for (let output = 0; output < outputs; output++) {
    lanes[lane + output] = lanes[lane + output]! + fround(value * weights[weight + output]!);
  }
}

/**
 * Adds up the lanes: the second half is added to the first half until one lane is left. The native
 * kernels use the same order, so the bits are equal.
 */
function fold(width: number, outputs: number): void {
  const lanes = sums;
  for (let half = (width >> 1) * outputs; half >= outputs; half >>= 1) {
    for (let at = 0; at < half; at++) lanes[at] = lanes[at]! + lanes[at + half]!;
  }
}
