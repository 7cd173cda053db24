import type { ModelFacts, ModelRef } from '../messages.js';
import { openGraphModel } from './graph-model.js';
import { openLayersModel } from './layers-model.js';
import { openSavedModel } from './saved-model.js';
import type { TensorFlow, TfTensor } from './tensor-flow.js';

/** A model in this worker, whatever its format. */
export interface OpenModel extends ModelFacts {
  /** @param wanted names of outputs, in the order of the answers. */
  run(feed: Readonly<Record<string, TfTensor>>, wanted: readonly string[]): Promise<readonly TfTensor[]>;
  /** Tensors that are to stay when the scope of opening ends; variables stay anyhow. */
  readonly weights?: unknown;
  dispose(): void;
}

export const openers: Readonly<Record<ModelRef['format'], (tf: TensorFlow, ref: ModelRef) => Promise<OpenModel>>> = {
  'tfjs-layers': openLayersModel,
  'tfjs-graph': openGraphModel,
  'saved-model': openSavedModel,
};
