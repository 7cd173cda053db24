import type { TensorInputs } from '../execute/tensors/admit-tensors.js';
import { runTensors, type TensorOutputs } from '../execute/tensors/predict-tensors.js';
import type { RegisteredTensors } from '../execute/tensors/registered-tensors.js';
import { type CallOptions, callLimits, callOptionNames } from '../features/admission/call-limits.js';
import { checkRuntimeOptions } from '../option-names.js';
import type { Serving } from './serving.js';

/**
 * Implements `runtime.predictTensors`. The queue counts a request as one row until it is answered.
 */
export async function predictTensorsLater(
  { live, queue, clock }: Serving,
  tensors: RegisteredTensors,
  inputs: TensorInputs,
  options: CallOptions,
): Promise<TensorOutputs> {
  checkRuntimeOptions(options, callOptionNames, 'predictTensors');
  const record = live.tensorsRecord(tensors);
  const limits = callLimits(record.name, options, clock);
  const check = () => {
    live.checkTensors(record);
    limits?.check(0, 1, 'requests');
  };
  const place = queue.enter(record.name, 1);
  try {
    return await runTensors(record, inputs, { clock, limits, check });
  } finally {
    place.leave();
  }
}
