import { convolve, type Flow, type ImageWindows, onnxWindows, poolGreatest } from '@brezel/flour';
import { onnxError } from '../errors.js';
import { inALine } from './join.js';
import type { RowNode } from './row-node.js';
import { type Batch, type GraphValue, product, type RowValue } from './value.js';

type Floats = { readonly dtype: 'float32'; readonly shape: readonly number[]; readonly data: Float32Array };

/**
 * Converts Conv and MaxPool of float32 images with one or two axes, if the first axis counts the
 * rows and the weights are constant. Returns undefined for other nodes.
 */
export function convolvedRows(node: RowNode, batch: Batch): readonly RowValue[] | undefined {
  const [image] = node.inputs;
  if (node.domain !== '' || image?.kind !== 'row' || image.element !== 'float32') return undefined;
  const { dims } = image;
  if (dims === undefined || batch.axis !== 0 || batch.before * batch.after !== 1 || dims.length < 3) return undefined;
  const windowed =
    node.operator === 'Conv'
      ? convolution(node, image, dims)
      : node.operator === 'MaxPool'
        ? pool(node, image, dims)
        : undefined;
  if (windowed === undefined) return undefined;
  const { flow, channels, windows } = windowed;
  const places = dims.length === 3 ? [windows.places[1]] : [...windows.places];
  return [{ kind: 'row', flow, element: 'float32', dims: [1, channels, ...places], batch }];
}

interface Windowed {
  readonly flow: Flow<'vector'>;
  readonly channels: number;
  readonly windows: ImageWindows;
}

function convolution(node: RowNode, image: RowValue, [, channels, ...size]: readonly number[]): Windowed | undefined {
  const weights = floatsOf(node.inputs[1]);
  const bias = node.inputs[2] === undefined ? undefined : floatsOf(node.inputs[2]);
  if (weights === undefined || (bias === undefined) !== (node.inputs[2] === undefined)) return undefined;
  const [outputs, depth, ...kernel] = weights.shape as [number, number, ...number[]];
  const groups = node.attributes.int('group', 1);
  const declared = node.attributes.has('kernel_shape') ? node.attributes.ints('kernel_shape') : kernel;
  // Checked before the bias is created, because the file declares the number of outputs.
  if (product(weights.shape) === 0) return undefined;
  const added = bias ?? { dtype: 'float32', shape: [outputs], data: new Float32Array(outputs) };
  if (declared.join() !== kernel.join() || depth * groups !== channels || added.shape.join() !== `${outputs}`)
    return undefined;
  const windows = windowsOf(node, size, kernel);
  if (windows === undefined) return undefined;
  return { flow: convolve(inALine(image), weights, added as Floats, windows, groups), channels: outputs, windows };
}

/**
 * Converts a MaxPool node. Returns undefined if its windows are unsupported, or if its second
 * output, the positions of the maxima, is used.
 */
function pool(node: RowNode, image: RowValue, [, channels, ...size]: readonly number[]): Windowed | undefined {
  if ((node.outputs[1] ?? '') !== '') return undefined;
  const windows = windowsOf(node, size, node.attributes.ints('kernel_shape'));
  return windows && { flow: poolGreatest(inALine(image), windows), channels: channels!, windows };
}

const windowsOf = (node: RowNode, size: readonly number[], kernel: readonly number[]) =>
  onnxWindows(node.options(), size, kernel, (received, hint) =>
    onnxError('ERR_ONNX_SHAPE', { received, at: node.at, ...(hint !== undefined && { hint }) }),
  );

function floatsOf(value: GraphValue | undefined): Floats | undefined {
  const isPlain = value?.kind === 'constant' && value.byRows === undefined && value.batch === undefined;
  return isPlain && value.element === 'float32' && value.tensor.dtype === 'float32'
    ? (value.tensor as Floats)
    : undefined;
}
