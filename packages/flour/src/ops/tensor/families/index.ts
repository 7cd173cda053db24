import type { TensorOperator } from '../define.js';
import { activations } from './activations.js';
import { args } from './arg.js';
import { binary } from './binary.js';
import { casts } from './casting.js';
import { clipping } from './clip.js';
import { cumulative } from './cumulative.js';
import { distanceMatrices } from './distances.js';
import { einsums } from './einsum.js';
import { gather } from './gather.js';
import { generate } from './generate.js';
import { inference } from './inference.js';
import { join } from './join.js';
import { layout } from './layout.js';
import { losses } from './loss.js';
import { matrices } from './matrix.js';
import { mixed } from './mixed.js';
import { mlCategories } from './ml-categories.js';
import { mlNumbers } from './ml-numbers.js';
import { neural } from './neural.js';
import { normalizations } from './normalize.js';
import { pad } from './pad.js';
import { predicates } from './predicates.js';
import { reduces } from './reduce.js';
import { scatter } from './scatter.js';
import { select } from './select.js';
import { sequence } from './sequence.js';
import { shape } from './shape.js';
import { softmaxes } from './softmax.js';
import { text } from './text.js';
import { textFeatures } from './text-features.js';
import { unary } from './unary.js';
import { variadics } from './variadic.js';

/** Operators by family, one file each. */
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
  losses,
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
];
