import { randomUUID } from 'node:crypto';
import type { ServerHttp2Stream } from 'node:http2';
import { Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import type { CallMessages } from './call-messages.js';

/** A call that has ended, as `onCall` and the access log receive it. */
export interface GrpcCall {
  /** The name of the method, for example `ModelInfer`. */
  readonly method: string;
  /** The name of the gRPC status, for example `OK` or `NOT_FOUND`. */
  readonly status: string;
  /**
   * Milliseconds from the arrival of the call's headers to its end. A stream ends after its last
   * response.
   */
  readonly milliseconds: number;
  /** The request id: `x-request-id` in the metadata of the call, or a generated id. */
  readonly requestId: string;
  /** The address of the client. */
  readonly ip: string | undefined;
  /** The version that answered, as `name@version`. In a stream, the version of the last answer. */
  readonly version: string | undefined;
}

/** The data of a call in flight that interceptors and methods share. */
export interface CallRecord {
  readonly requestId: string;
  /** The HTTP/2 stream of the call. Undefined if grpc-js does not expose it. */
  readonly stream: ServerHttp2Stream | undefined;
  version?: string;
  /** Counts the messages of a stream. Undefined for a call with one request message. */
  messages?: CallMessages;
}

/** The records of the calls in flight. The key is the metadata object of the call. */
export type CallRecords = WeakMap<Metadata, CallRecord>;

const REQUEST_ID = 'x-request-id';
/** Longer request ids are cut to this length, because the access log contains them. */
const MAX_ID_CHARACTERS = 200;

/**
 * Returns the interceptor that creates the record of each call. It sends the request id in the
 * trailing metadata, and passes the call to `ended` when the call ends. It must be the first
 * interceptor of the list, because only the first interceptor receives the object of grpc-js that
 * contains the HTTP/2 stream.
 */
export function recordInterceptor(records: CallRecords, ended: (call: GrpcCall) => void): ServerInterceptor {
  return ({ path }, call) => {
    const start = performance.now();
    // a private field of grpc-js, and therefore optional here
    const { stream } = call as { readonly stream?: ServerHttp2Stream };
    const record: CallRecord = { requestId: '', stream };
    let sent: status | undefined;
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, proceed) {
            const given = `${metadata.get(REQUEST_ID)[0] ?? ''}`.slice(0, MAX_ID_CHARACTERS);
            Object.assign(record, { requestId: given || randomUUID() });
            records.set(metadata, record);
            proceed(metadata);
          },
          // grpc-js calls this function when a call ends, also after a successful response.
          onCancel() {
            ended({
              method: path.slice(path.lastIndexOf('/') + 1),
              status: status[statusOnWire(stream) ?? sent ?? status.CANCELLED]!,
              milliseconds: performance.now() - start,
              requestId: record.requestId,
              ip: call.getConnectionInfo().remoteAddress,
              version: record.version,
            });
          },
        }),
      sendStatus(given, next) {
        sent = given.code;
        const metadata = given.metadata?.clone() ?? new Metadata();
        metadata.set(REQUEST_ID, record.requestId);
        next({ ...given, metadata });
      },
    });
  };
}

/**
 * Returns the status that the server sent over HTTP/2, or CANCELLED if it sent none. This status
 * differs from the status of the method if the client canceled the call. It also differs if grpc-js
 * ended the call, because of a deadline or a message that is too large. Returns undefined if the
 * stream is unknown.
 */
function statusOnWire(stream: ServerHttp2Stream | undefined): status | undefined {
  if (stream === undefined) return undefined;
  const headers = { ...stream.sentHeaders, ...(stream as { readonly sentTrailers?: object }).sentTrailers };
  const code = (headers as Readonly<Record<string, unknown>>)['grpc-status'];
  return code === undefined ? status.CANCELLED : Number(code);
}
