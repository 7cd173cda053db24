import { tensorError } from '../errors.js';
import type { TensorSteps } from '../executable.js';
import type { TensorValue } from '../tensor.js';

/**
 * Runs a graph to its end in one synchronous call.
 * @throws ERR_FLOUR_BLACK_BOX at a black box, because black boxes run asynchronously.
 */
export function atOnce(steps: TensorSteps): readonly (TensorValue | undefined)[] {
  let step = steps.next();
  while (!step.done && step.value === undefined) step = steps.next([]);
  if (step.done) return step.value;
  throw tensorError('ERR_FLOUR_BLACK_BOX', { received: 'a synchronous run', at: step.value!.box.name });
}
