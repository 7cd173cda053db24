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
   * Tensors of the model, which `inScope` must not free after the model has been opened. Variables
   * need no entry, because they are never freed.
   */
  readonly weights?: unknown;
  dispose(): void;
}
