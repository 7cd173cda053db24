import type { TensorOperator } from '../define.js';
import { activations } from './activations.js';
import { args } from './arg.js';
import { attentions } from './attention.js';
import { binary } from './binary.js';
import { casts } from './casting.js';
import { channelNormalizations } from './channels.js';
import { clipping } from './clip.js';
import { cumulative } from './cumulative.js';
import { deformConvolutions } from './deform-conv.js';
import { distanceMatrices } from './distances.js';
import { einsums } from './einsum.js';
import { embedLayers } from './embed-layers.js';
import { fourier } from './fourier.js';
import { gather } from './gather.js';
import { generate } from './generate.js';
import { gridSamples } from './grid-sample.js';
import { inference } from './inference.js';
import { join } from './join.js';
import { layerNormalizations } from './layer-normalizations.js';
import { layout } from './layout.js';
import { legacy } from './legacy.js';
import { losses } from './loss.js';
import { matrices } from './matrix.js';
import { microsoft } from './microsoft.js';
import { microsoftAttentions } from './microsoft-attention.js';
import { microsoftProducts } from './microsoft-products.js';
import { mixed } from './mixed.js';
import { mlCategories } from './ml-categories.js';
import { mlNumbers } from './ml-numbers.js';
import { neural } from './neural.js';
import { normalizations } from './normalize.js';
import { packedProducts } from './packed-products.js';
import { pad } from './pad.js';
import { predicates } from './predicates.js';
import { quantizations } from './quantize.js';
import { quantizedProducts } from './quantized-products.js';
import { random } from './random.js';
import { recurrents } from './recurrent.js';
import { reduces } from './reduce.js';
import { regionPools } from './regions.js';
import { resizes } from './resize.js';
import { scatter } from './scatter.js';
import { select } from './select.js';
import { sequence } from './sequence.js';
import { shape } from './shape.js';
import { signal } from './signal.js';
import { softmaxes } from './softmax.js';
import { spreading } from './spread.js';
import { suppressions } from './suppression.js';
import { tensorScatter } from './tensor-scatter.js';
import { text } from './text.js';
import { textFeatures } from './text-features.js';
import { training } from './training.js';
import { unary } from './unary.js';
import { unpools } from './unpool.js';
import { variadics } from './variadic.js';

/** The ONNX operators that Brezel defines over tensors: one list for each file of this folder. */
export const families: readonly (readonly TensorOperator[])[] = [
  activations,
  args,
  binary,
  clipping,
  cumulative,
  mixed,
  predicates,
  reduces,
  softmaxes,
  casts,
  einsums,
  inference,
  legacy,
  losses,
  fourier,
  signal,
  random,
  tensorScatter,
  training,
  matrices,
  normalizations,
  unary,
  variadics,
  generate,
  join,
  layout,
  pad,
  shape,
  gather,
  scatter,
  select,
  sequence,
  text,
  textFeatures,
  mlNumbers,
  mlCategories,
  neural,
  distanceMatrices,
  quantizations,
  quantizedProducts,
  recurrents,
  resizes,
  channelNormalizations,
  spreading,
  unpools,
  deformConvolutions,
  gridSamples,
  regionPools,
  suppressions,
  attentions,
  microsoft,
  microsoftProducts,
  packedProducts,
  microsoftAttentions,
  layerNormalizations,
  embedLayers,
];
