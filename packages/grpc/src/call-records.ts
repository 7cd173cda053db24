import { randomUUID } from 'node:crypto';
import type { ServerHttp2Stream } from 'node:http2';
import { Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import type { Arrivals } from './arrivals.js';

/** A call that has ended, as `onCall` and the access log receive it. */
export interface GrpcCall {
  /** The name of the method: `ModelInfer`. */
  readonly method: string;
  /** The name of the gRPC status: `OK`, `NOT_FOUND`. */
  readonly status: string;
  /** Milliseconds from the head of the call to its end. A stream ends after its last response. */
  readonly milliseconds: number;
  /** The request id: `x-request-id` in the metadata of the call, or a new one. */
  readonly requestId: string;
  /** The address of the client. */
  readonly ip: string | undefined;
  /** The version that answered, as `name@version`. In a stream, the version of the last answer. */
  readonly version: string | undefined;
}

/** What the server knows about a call in flight, besides its messages. */
export interface CallRecord {
  readonly requestId: string;
  /** The HTTP/2 stream of the call. Undefined if grpc-js does not expose it. */
  readonly stream: ServerHttp2Stream | undefined;
  version?: string;
  /** The messages that arrive. Undefined for a call with one message. */
  arrivals?: Arrivals;
}

/** The records of the calls in flight. The metadata of a call identify the call. */
export type CallRecords = WeakMap<Metadata, CallRecord>;

const REQUEST_ID = 'x-request-id';
/** Longer request ids are cut, because they are written to the log. */
const MAX_ID_CHARACTERS = 200;

/**
 * Returns the interceptor that creates the record of each call. It writes the request id into the
 * trailers, and passes the call to `ended` at its end. It must be the first interceptor, because it
 * reads the HTTP/2 stream of grpc-js.
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
          // Called at each end of a call, also after the response.
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
 * Returns the status that the client has received. It differs from the status that the method sent
 * if the client canceled the call, or if grpc-js ended the call: after a deadline, or because of a
 * message that is too large. Undefined if the stream is unknown.
 */
function statusOnWire(stream: ServerHttp2Stream | undefined): status | undefined {
  if (stream === undefined) return undefined;
  const headers = { ...stream.sentHeaders, ...(stream as { readonly sentTrailers?: object }).sentTrailers };
  const code = (headers as Readonly<Record<string, unknown>>)['grpc-status'];
  return code === undefined ? status.CANCELLED : Number(code);
}
