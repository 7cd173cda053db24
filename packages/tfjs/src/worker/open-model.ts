import type { ModelFacts } from '../messages.js';
import type { TfTensor } from './tensor-flow.js';

/** A model in this worker, whatever its format. */
export interface OpenModel extends ModelFacts {
  /** @param wanted names of outputs, in the order of the answers. */
  run(feed: Readonly<Record<string, TfTensor>>, wanted: readonly string[]): Promise<readonly TfTensor[]>;
  /** Tensors that are to stay when the scope of opening ends; variables stay anyhow. */
  readonly weights?: unknown;
  dispose(): void;
}
