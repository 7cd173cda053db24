import { bearerToken, type Concurrency, tokenCheck } from '@brezel/oip';
import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { CallMessages } from './call-messages.js';
import type { CallRecords } from './call-records.js';
import { grpcError } from './errors.js';
import { GRPCInferenceService } from './generated/inference_pb.js';
import type { CheckedOptions } from './options.js';
import { responseOf, statusOf } from './status.js';

/**
 * The access group of a method. `health` methods need no token. Without a token, the server rejects
 * calls of `control` methods.
 */
export type MethodGroup = 'health' | 'predict' | 'control';

/** The path of the method that makes one prediction. */
const INFER_PATH = `/${GRPCInferenceService.typeName}/${GRPCInferenceService.method.modelInfer.name}`;

/**
 * Returns the interceptor that checks each call before its message is read. It rejects a call with
 * a wrong token, and a prediction beyond the limit of predictions in flight. A prediction counts as
 * in flight until the response is sent. The interceptor also ends a call if its request, or a
 * message of its stream, does not arrive completely within `requestTimeoutMs`.
 */
export function accessInterceptor(
  groupOf: (path: string) => MethodGroup,
  { token, openPredict, requestTimeoutMs }: Pick<CheckedOptions, 'token' | 'openPredict' | 'requestTimeoutMs'>,
  { concurrency, records }: { readonly concurrency: Concurrency; readonly records: CallRecords },
): ServerInterceptor {
  const isToken = token === undefined ? undefined : tokenCheck(token);
  const check = (group: MethodGroup, authorization: string) => {
    if (group === 'health' || (group === 'predict' && openPredict)) return;
    if (isToken === undefined && group === 'control') throw grpcError('ERR_GRPC_CONTROL');
    if (isToken !== undefined && !isToken(bearerToken(authorization))) throw grpcError('ERR_GRPC_TOKEN');
  };
  return (method, call) => {
    const fail = (error: unknown) => call.sendStatus(statusOf(responseOf(error)));
    let timer: NodeJS.Timeout | undefined;
    let counted: object | undefined;
    let messages: CallMessages | undefined;
    /**
     * Starts to count a prediction: a call of ModelInfer from now on, and a stream from the first
     * bytes of each message.
     */
    const count = (metadata: Metadata) => {
      if (method.path === INFER_PATH) {
        concurrency.enter(metadata);
        counted = metadata;
      }
      const record = records.get(metadata);
      if (!method.requestStream || record?.stream === undefined) return;
      const { stream } = record;
      messages = new CallMessages({ stream, concurrency, key: metadata, timeoutMs: requestTimeoutMs, fail });
      record.messages = messages;
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, proceed) {
            try {
              check(groupOf(method.path), `${metadata.get('authorization')[0] ?? ''}`);
              count(metadata);
            } catch (error) {
              return fail(error);
            }
            if (requestTimeoutMs > 0 && !method.requestStream)
              timer = setTimeout(() => fail(grpcError('ERR_GRPC_TIMEOUT')), requestTimeoutMs);
            proceed(metadata);
          },
          // Called when the client has sent the whole request. Until then, the call and its message
          // stay in memory, so the timer must run until here.
          onReceiveHalfClose(proceed) {
            clearTimeout(timer);
            proceed();
          },
          onReceiveMessage(message, proceed) {
            messages?.receive();
            proceed(message);
          },
          // Called whenever a call ends, also after a successful response.
          onCancel() {
            clearTimeout(timer);
            messages?.end();
            if (counted !== undefined) concurrency.leave(counted);
          },
        }),
    });
  };
}
