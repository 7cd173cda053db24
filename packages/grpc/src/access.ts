import { bearerToken, type Concurrency, tokenCheck } from '@brezel/oip';
import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { grpcError } from './errors.js';
import { GRPCInferenceService } from './generated/inference_pb.js';
import type { CheckedOptions } from './options.js';
import { responseOf, statusOf } from './status.js';

/**
 * The access group of a method. `health` methods need no token. `control` methods exist only if the
 * server has a token.
 */
export type MethodGroup = 'health' | 'predict' | 'control';

/** The path of the method that makes one prediction. */
const INFER_PATH = `/${GRPCInferenceService.typeName}/${GRPCInferenceService.method.modelInfer.name}`;

/**
 * Returns the interceptor that checks each call before its message is read: the token, and whether
 * the server accepts another prediction. It counts a prediction while the message arrives, and
 * until the response is sent. It ends a call whose request does not end in time.
 */
export function accessInterceptor(
  groupOf: (path: string) => MethodGroup,
  { token, openPredict, requestTimeoutMs }: Pick<CheckedOptions, 'token' | 'openPredict' | 'requestTimeoutMs'>,
  concurrency: Concurrency,
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
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, proceed) {
            try {
              check(groupOf(method.path), `${metadata.get('authorization')[0] ?? ''}`);
              if (method.path === INFER_PATH) {
                concurrency.enter(metadata);
                counted = metadata;
              }
            } catch (error) {
              return fail(error);
            }
            if (requestTimeoutMs > 0 && !method.requestStream)
              timer = setTimeout(() => fail(grpcError('ERR_GRPC_TIMEOUT')), requestTimeoutMs);
            proceed(metadata);
          },
          // A call without this end stays in memory with its message.
          onReceiveHalfClose(proceed) {
            clearTimeout(timer);
            proceed();
          },
          // Called at each end of a call, also after the response.
          onCancel() {
            clearTimeout(timer);
            if (counted !== undefined) concurrency.leave(counted);
          },
        }),
    });
  };
}
