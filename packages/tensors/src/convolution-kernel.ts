import type { ConvolutionPlan } from './convolution.js';
import type { OperatorSteps, TensorCall } from './define.js';
import { runKernel } from './kernels.js';
import { elementCount } from './tensor.js';

/**
 * An operator that may pause calls the kernel several times. Each call makes about this many
 * multiplications, which take about 0.2 ms.
 */
const PRODUCTS = 2 ** 22;
/**
 * A call computes at least this many outputs of a group, because the kernel rearranges the image or
 * the weights in each call: 32, or 8 if an output needs more than `PRODUCTS` multiplications.
 */
const leastOutputs = (products: number): number => (products > PRODUCTS ? 8 : 32);

/** The arrays of a convolution. All have one type. */
export interface ConvolutionData {
  readonly out: KernelArray;
  readonly image: KernelArray;
  readonly weights: KernelArray;
  readonly bias: KernelArray | undefined;
}

type KernelArray = Float32Array | Float64Array | Int32Array;

/** A part of a convolution: some images, or some output channels of an image. */
interface Part {
  readonly image: number;
  readonly images: number;
  readonly group: number;
  readonly groups: number;
  /** The first output channel in its group. */
  readonly output: number;
  /** The number of output channels for each group. */
  readonly outputs: number;
}

/**
 * Computes a convolution with the kernel `conv`, and returns whether the kernel ran. If the run may
 * pause, a call of the kernel computes a part of the convolution. Parts have the same bits as the
 * whole, because an element of the result does not depend on other elements.
 */
export function* convolutionKernelSteps(
  call: TensorCall,
  plan: ConvolutionPlan,
  data: ConvolutionData,
): OperatorSteps<boolean> {
  const { out, image, weights, bias } = data;
  const [batch, channels, depth, outputs] = plan.numbers as [number, number, number, number];
  const positions = elementCount(plan.shape.slice(2));
  const products = positions * (weights.length / Math.max(outputs, 1));
  if (call.isOver === undefined || products * batch * outputs <= PRODUCTS)
    return runKernel(call, 'conv', [out, image, weights, bias], plan.numbers);
  const [size, terms, together] = [
    image.length / (batch * channels),
    weights.length / outputs,
    outputs / (channels / depth),
  ];
  for (const part of partsOf(batch, channels / depth, together, products)) {
    const first = part.group * together + part.output;
    const count = part.groups * part.outputs;
    const ran = runKernel(
      call,
      'conv',
      [
        slice(out, (part.image * outputs + first) * positions, part.images * count * positions),
        slice(
          image,
          (part.image * channels + part.group * depth) * size,
          (part.images > 1 ? part.images * channels : part.groups * depth) * size,
        ),
        slice(weights, first * terms, count * terms),
        bias && slice(bias, first, count),
      ],
      [part.images, part.groups * depth, depth, count, ...plan.numbers.slice(4)],
    );
    if (!ran) return false;
    if (call.isOver()) yield;
  }
  return true;
}

const slice = (array: KernelArray, from: number, count: number) => array.subarray(from, from + count);

/**
 * Divides a convolution into parts of about `PRODUCTS` multiplications: whole images, or whole
 * groups of an image, or some output channels of a group.
 *
 * @param together the number of output channels of a group.
 * @param products the multiplications for one output channel of an image.
 */
function* partsOf(batch: number, groups: number, together: number, products: number): Generator<Part> {
  const ofGroup = products * together;
  const [images, groupsOfPart] = [ofGroup * groups, ofGroup].map((one) => Math.max(1, Math.floor(PRODUCTS / one)));
  const whole = { group: 0, groups, output: 0, outputs: together };
  if (images! > 1) {
    for (let image = 0; image < batch; image += images!)
      yield { ...whole, image, images: Math.min(images!, batch - image) };
    return;
  }
  const outputs = Math.min(together, Math.max(leastOutputs(products), Math.floor(PRODUCTS / products)));
  for (let image = 0; image < batch; image++)
    for (let group = 0; group < groups; group += groupsOfPart!)
      for (let output = 0; output < together; output += outputs) {
        const some = Math.min(groupsOfPart!, groups - group);
        yield { image, images: 1, group, groups: some, output, outputs: Math.min(outputs, together - output) };
      }
}
