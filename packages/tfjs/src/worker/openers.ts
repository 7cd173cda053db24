import type { ModelRef } from '../messages.js';
import { openGraphModel } from './graph-model.js';
import { openLayersModel } from './layers-model.js';
import type { OpenModel } from './open-model.js';
import { openSavedModel } from './saved-model.js';
import type { TensorFlow } from './tensor-flow.js';

/** For each format, the function that opens its models. */
export const openers: Readonly<Record<ModelRef['format'], (tf: TensorFlow, ref: ModelRef) => Promise<OpenModel>>> = {
  'tfjs-layers': openLayersModel,
  'tfjs-graph': openGraphModel,
  'saved-model': openSavedModel,
};
