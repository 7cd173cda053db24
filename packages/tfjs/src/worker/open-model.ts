import type { ModelFacts } from '../messages.js';
import type { TfTensor } from './tensor-flow.js';

/** An open model in this worker. All file formats have this form. */
export interface OpenModel extends ModelFacts {
  /**
   * Runs the model.
   *
   * @param wanted names of the requested outputs. The answers have the same order.
   */
  run(feed: Readonly<Record<string, TfTensor>>, wanted: readonly string[]): Promise<readonly TfTensor[]>;
  /**
   * Tensors that `inScope` must not free when the model has been opened. Variables are never freed,
   * so they need no entry.
   */
  readonly weights?: unknown;
  dispose(): void;
}
