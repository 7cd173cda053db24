import type { ModelFacts } from '../messages.js';
import type { TfTensor } from './tensor-flow.js';

/** An open model in this worker, for every format. */
export interface OpenModel extends ModelFacts {
  /**
   * Runs the model.
   *
   * @param wanted names of outputs, in the order of the answers.
   */
  run(feed: Readonly<Record<string, TfTensor>>, wanted: readonly string[]): Promise<readonly TfTensor[]>;
  /**
   * Tensors that must survive the scope in which the model was opened. Variables survive even if
   * this list is empty.
   */
  readonly weights?: unknown;
  dispose(): void;
}
