import { once } from 'node:events';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { cancelSignal, type StreamCall } from './calls.js';
import { grpcError } from './errors.js';
import {
  type ModelInferRequest,
  ModelInferRequestSchema,
  ModelStreamInferResponseSchema,
} from './generated/inference_pb.js';
import { answerInfer, type Served } from './infer.js';
import { decoded } from './messages.js';
import { CODE_KEY, HINT_KEY, responseOf, shortened, statusOf } from './status.js';
import { textParameters } from './tensors/response.js';

/**
 * Answers the requests of a stream one after another, in their order. A failed request gets a
 * response with `error_message`, and the stream continues. The parameters of this response contain
 * the code and the hint of the error. The server reads the next requests only after the client has
 * read the previous responses.
 *
 * @param closing a signal that aborts when the server closes. The stream then ends after the
 * current response
 */
export async function answerStream(call: StreamCall, served: Served, closing: AbortSignal): Promise<void> {
  const signal = cancelSignal(call);
  const requests: AsyncIterator<Uint8Array> = call.iterator({ destroyOnReturn: false });
  let [isWaiting, hasFailed] = [false, false];
  const fail = (error: unknown) => {
    hasFailed = true;
    call.emit('error', statusOf(responseOf(error)));
  };
  const stopWaiting = () => {
    if (isWaiting) fail(grpcError('ERR_GRPC_CLOSING'));
  };
  closing.addEventListener('abort', stopWaiting);
  try {
    while (!closing.aborted) {
      isWaiting = true;
      const next = await requests.next();
      isWaiting = false;
      if (hasFailed) return;
      if (next.done === true) return void call.end();
      const response = await answered(next.value, call, signal, served);
      served.records.get(call.metadata)?.messages?.answer();
      if (!call.write(response)) await once(call, 'drain', { signal });
    }
    fail(grpcError('ERR_GRPC_CLOSING'));
  } catch (error) {
    // A client that canceled the call receives no status.
    if (!signal.aborted && !hasFailed) fail(error);
  } finally {
    closing.removeEventListener('abort', stopWaiting);
  }
}

/** Answers one encoded request of a stream with an encoded response. Errors become responses. */
async function answered(bytes: Uint8Array, call: StreamCall, signal: AbortSignal, served: Served): Promise<Uint8Array> {
  let request: ModelInferRequest | undefined;
  try {
    request = decoded(ModelInferRequestSchema, bytes);
    const inferResponse = await answerInfer(request, call, signal, served);
    return encoded({ inferResponse });
  } catch (error) {
    if (signal.aborted) throw error;
    const { message, code, hint } = shortened(served.describe(error));
    const { id = '', modelName = '' } = request ?? {};
    const parameters = textParameters({ [CODE_KEY]: code, ...(hint !== undefined && { [HINT_KEY]: hint }) });
    return encoded({ errorMessage: message, inferResponse: { id, modelName, parameters } });
  }
}

const encoded = (response: MessageInitShape<typeof ModelStreamInferResponseSchema>) =>
  toBinary(ModelStreamInferResponseSchema, create(ModelStreamInferResponseSchema, response));
