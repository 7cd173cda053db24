import type { ModelFacts } from '../messages.js';
import type { TfTensor } from './tensor-flow.js';

/** An open model in this worker, independent of its format. */
export interface OpenModel extends ModelFacts {
  /**
   * Runs the model.
   *
   * @param wanted names of outputs, in the order of the answers.
   */
  run(feed: Readonly<Record<string, TfTensor>>, wanted: readonly string[]): Promise<readonly TfTensor[]>;
  /** Tensors that must survive the end of the opening scope. Variables survive anyway. */
  readonly weights?: unknown;
  dispose(): void;
}
