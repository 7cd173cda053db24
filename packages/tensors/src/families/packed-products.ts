import { intAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import { takeWork } from '../images.js';
import {
  computedSteps,
  type Floats,
  type NumberData,
  newData,
  optionalInput,
  tensorInput,
  tensorOf,
} from '../inputs.js';
import { inBlocks, interruptible } from '../pauses.js';
import { shown } from '../shapes.js';
import { elementCount, type Tensor } from '../tensor.js';
import { matmulSteps } from './matrix.js';

/**
 * The layout of a node's weights. Each of `columns` columns has `depth` weights in `groups` groups
 * of `size` weights. The last group may be shorter.
 */
interface Packing {
  readonly depth: number;
  readonly columns: number;
  readonly bits: number;
  readonly size: number;
  readonly groups: number;
}

function packingOf(call: TensorCall): Packing {
  const [depth, columns] = [intAttribute(call, 'K'), intAttribute(call, 'N')];
  const [bits, size] = [intAttribute(call, 'bits', 4), intAttribute(call, 'block_size')];
  const isPower = size >= 16 && Number.isInteger(Math.log2(size));
  if (depth < 1 || columns < 1 || ![2, 4, 8].includes(bits) || !isPower)
    throw call.fault(
      `K ${depth}, N ${columns}, bits ${bits}, block_size ${size}`,
      'K and N of 1 or greater, 2, 4 or 8 bits, and a block_size that is a power of two, at least 16',
    );
  return { depth, columns, bits, size, groups: Math.ceil(depth / size) };
}

/**
 * Computes `A * B'` plus a bias. B is stored in groups of small integers. Each group has one scale
 * and one zero point.
 */
function* matMulNBits(call: TensorCall): OperatorSteps {
  const a = tensorInput(call, 0, floats);
  const packing = packingOf(call);
  const { depth, columns } = packing;
  if (optionalInput(call, 4, ['int32']) !== undefined)
    throw call.fault(
      'an input g_idx',
      'groups in order, without the input g_idx',
      'quantize the model without reordered groups (desc_act = false)',
    );
  takeWork(call, depth * columns);
  const weights = tensorOf(a.element, [depth, columns], yield* unpacked(call, a, packing)) as Floats;
  const product = (yield* matmulSteps(call, a, weights)) as Floats;
  const bias = optionalInput(call, 5, [a.element]) as Floats | undefined;
  if (bias === undefined) return [product];
  if (shown(bias.shape) !== shown([columns]))
    throw call.fault(`a bias of shape ${shown(bias.shape)}`, `a bias of shape [${columns}]`);
  const sum = (at: number) => product.data[at]! + bias.data[at % columns]!;
  return [yield* computedSteps(call, a.element, product.shape, sum)];
}

/** Unpacks the weights of a node to a matrix `[K, N]`. */
function* unpacked(call: TensorCall, { element }: Floats, packing: Packing): OperatorSteps<NumberData> {
  const { depth, columns, bits, size, groups } = packing;
  const bytes = (size * bits) / 8;
  const packed = ofSize(call, 1, tensorInput(call, 1, ['uint8']), columns * groups * bytes).data as Uint8Array;
  const scales = ofSize(call, 2, tensorInput(call, 2, [element]), columns * groups).data as NumberData;
  const zeros = zeroPoints(call, element, packing);
  const data = newData(call, element, [depth, columns]) as NumberData;
  const unpack = (row: number, column: number) => {
    const block = column * groups + Math.floor(row / size);
    const value = bitsAt(packed, block * bytes, row % size, bits);
    data[row * columns + column] = (value - zeros(column, Math.floor(row / size))) * scales[block]!;
  };
  yield* inBlocks(call, depth * columns, (from, to) => {
    for (let at = from; at < to; at++) unpack(at % depth, Math.floor(at / depth));
  });
  return data;
}

/**
 * Returns number `index` of the packed numbers that start at byte `from`. The lowest bits of a byte
 * come first.
 */
function bitsAt(packed: Uint8Array, from: number, index: number, bits: number): number {
  const firstBit = index * bits;
  return (packed[from + (firstBit >> 3)]! >> (firstBit & 7)) & (2 ** bits - 1);
}

/**
 * Returns a function that reads the zero point of a group. Input 3 holds the zero points as floats,
 * or packed like the weights, where each column starts at a new byte. Without input 3, the zero
 * point is the middle of the range.
 */
function zeroPoints(call: TensorCall, element: Floats['element'], { columns, bits, groups }: Packing) {
  const given = optionalInput(call, 3, ['uint8', element]);
  if (given === undefined) return () => 2 ** (bits - 1);
  if (given.element !== 'uint8') {
    const { data } = ofSize(call, 3, given, columns * groups) as Floats;
    return (column: number, block: number) => data[column * groups + block]!;
  }
  const bytes = Math.ceil((groups * bits) / 8);
  const packed = ofSize(call, 3, given, columns * bytes).data as Uint8Array;
  return (column: number, block: number) => bitsAt(packed, column * bytes, block, bits);
}

function ofSize<T extends Tensor>(call: TensorCall, index: number, tensor: T, count: number): T {
  if (elementCount(tensor.shape) === count) return tensor;
  throw call.fault(`input ${index} of shape ${shown(tensor.shape)}`, `${count} elements in input ${index}`);
}

/**
 * Matrix products with weights of a few bits, which onnxruntime's quantizer of language models
 * writes.
 */
export const packedProducts = tensorOperators(
  interruptible({ domain: 'com.microsoft', operator: 'MatMulNBits', versions: [1, 1], steps: matMulNBits }),
);
