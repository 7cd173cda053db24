import { answerTensors, type Concurrency, type ErrorResponse, readyRoute } from '@brezel/oip';
import type { ModelRegistry } from 'brezel';
import type { CallRecords } from './call-records.js';
import { deadlineMsOf, type StreamCall, type UnaryCall } from './calls.js';
import type { ModelInferRequest, ModelInferResponse } from './generated/inference_pb.js';
import type { RepositoryChange } from './options.js';
import { inferenceRequest } from './tensors/request.js';
import { inferenceResponse } from './tensors/response.js';

/** The objects that all methods of one server use. */
export interface Served {
  readonly registry: ModelRegistry;
  readonly maxRows: number;
  readonly concurrency: Concurrency;
  readonly records: CallRecords;
  readonly isReady: () => boolean;
  /** Loads or unloads a model in all processes of the server. */
  readonly change: (change: RepositoryChange) => Promise<void>;
  /**
   * Returns the parts of an error that a client may see. Logs errors whose details clients do not
   * see.
   */
  readonly describe: (error: unknown) => ErrorResponse;
}

/** Returns the reference to a model: `NAME`, `NAME:ALIAS`, or `NAME@VERSION`. */
export const referenceOf = (name: string, version: string): string => (version === '' ? name : `${name}@${version}`);

/**
 * Answers one ModelInferRequest.
 *
 * @throws a ProtocolError, and the errors of the registry and the runtime.
 */
export async function answerInfer(
  message: ModelInferRequest,
  call: UnaryCall | StreamCall,
  signal: AbortSignal,
  { registry, maxRows, concurrency, records }: Served,
): Promise<ModelInferResponse> {
  // Counts the prediction until it ends, also if the client cancels the call earlier. The
  // interceptor has already counted the call with the same metadata object, so the call is not
  // counted twice.
  concurrency.enter(call.metadata);
  try {
    const request = inferenceRequest(message, maxRows);
    const limits = { deadlineMs: deadlineMsOf(call, request.deadlineMs), key: request.key, signal };
    const ready = await readyRoute(registry, referenceOf(message.modelName, message.modelVersion), limits);
    const record = records.get(call.metadata);
    if (record !== undefined) record.version = ready.route.version;
    const isRaw = message.rawInputContents.length > 0;
    const tensors = await answerTensors(ready, request, maxRows, isRaw);
    return inferenceResponse(ready.route.version, request.id, tensors, isRaw);
  } finally {
    concurrency.leave(call.metadata);
  }
}
