import { Client } from './client.js';
import { checkedOptions, type ExternalOptions } from './options.js';
import { ExternalPredictor } from './predictor.js';

export type { AnswerCacheStatistics } from './answer-cache.js';
export type { ControllerName } from './batch-size.js';
export { ExternalError } from './errors.js';
export type { AdaptiveBatching, ExternalOptions } from './options.js';
export {
  ExternalPredictor,
  type ExternalProgramOptions,
  type ExternalStatistics,
  type ExternalValue,
} from './predictor.js';
export { type ProcessOptions, processPredictor } from './process-predictor.js';
export type { ReplicaStatistics } from './replica.js';

/**
 * Connects to a model of other servers over the Open Inference Protocol v2. The result is a backend
 * whose program runs like any other program. Close the predictor after the runtimes that use it.
 *
 * Cost: reads the metadata of the model and of the server from each replica. Each block of rows
 * then costs one HTTP request for each `maxBatch` rows and each output.
 *
 * @throws ERR_EXTERNAL_OPTION; ERR_EXTERNAL_UNAVAILABLE if no replica answers; ERR_EXTERNAL_MODEL
 * if the metadata does not describe rows, or if replicas differ.
 * @see Source: https://github.com/kserve/open-inference-protocol
 * @example
 * const predictor = await externalPredictor({ urls: ['http://127.0.0.1:8080'], model: 'sums' });
 * runtime.registerBackend(predictor);
 * const plan = runtime.register(predictor.program(flour).plan());
 * console.log(await runtime.predict(plan, [1, 2])); // { y: 3 }
 * await runtime.close();
 * await predictor.close();
 */
export async function externalPredictor(options: ExternalOptions): Promise<ExternalPredictor> {
  const checked = checkedOptions(options);
  const client = new Client(checked);
  try {
    return new ExternalPredictor(checked, client, await client.start(), { endsWithRuntimes: false });
  } catch (error) {
    await client.close();
    throw error;
  }
}
