import { bearerToken, tokenCheck } from '@brezel/oip';
import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { grpcError } from './errors.js';
import type { CheckedOptions } from './options.js';
import { responseOf, statusOf } from './status.js';

/**
 * The access group of a method. `health` methods need no token. `control` methods exist only if the
 * server has a token.
 */
export type MethodGroup = 'health' | 'predict' | 'control';

/**
 * Returns the interceptor that checks the token of a call before its message is read, and that ends
 * a call whose message does not arrive in time.
 */
export function accessInterceptor(
  groupOf: (path: string) => MethodGroup,
  { token, openPredict, requestTimeoutMs }: Pick<CheckedOptions, 'token' | 'openPredict' | 'requestTimeoutMs'>,
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
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, proceed) {
            try {
              check(groupOf(method.path), `${metadata.get('authorization')[0] ?? ''}`);
            } catch (error) {
              return fail(error);
            }
            if (requestTimeoutMs > 0 && !method.requestStream)
              timer = setTimeout(() => fail(grpcError('ERR_GRPC_TIMEOUT')), requestTimeoutMs);
            proceed(metadata);
          },
          onReceiveMessage(message, proceed) {
            clearTimeout(timer);
            proceed(message);
          },
          onCancel: () => clearTimeout(timer),
        }),
    });
  };
}
