import type { Msg, MsgHdrs } from '@nats-io/transport-node';
import type { Answer, BrezelError, Row } from 'brezel';
import { NatsError, natsError } from '../errors.js';
import { decodeValues } from '../values/decode.js';
import { encodeValue } from '../values/encode.js';
import { receivedError, type SentError } from './sent-errors.js';

/** The first bytes of every message: the letters BZ and the version of the format. */
const MAGIC = Uint8Array.of(0x42, 0x5a, 1);

/** The bytes of a message that are reserved for its first part and for its headers. */
export const RESERVED_BYTES = 8192;

/** The largest number of rows in one message. */
export const MAX_ROWS = 256;

const verbs = ['predict', 'predictBatch', 'describe'] as const;

type Verb = (typeof verbs)[number];

/** The first part of a request. */
export interface RequestHead {
  /**
   * `predictBatch` answers a list of rows. `predict` answers the only row of the list. `describe`
   * has no rows, and its only answer is the signature of the version.
   */
  readonly verb: Verb;
  /** The model: `name`, `name@version` or `name:alias`. */
  readonly reference: string;
  readonly key?: string | number | undefined;
}

/** The rows of a request, encoded for all attempts. */
export type EncodedRows = Uint8Array & { readonly '~rows'?: true };

/** The answers of one server to a request. */
export interface Reply {
  /** The version that has answered, as `name@version`. */
  readonly version: string;
  readonly answers: readonly Answer[];
}

/**
 * Encodes the rows of a request. Reads each field of a row once.
 * @throws ERR_NATS_VALUE, ERR_NATS_TOO_LARGE
 */
export function encodeRows(rows: unknown, maxPayload: number): EncodedRows {
  try {
    return encodeValue(rows, maxPayload - RESERVED_BYTES);
  } catch (cause) {
    if (cause instanceof NatsError) throw cause;
    const received = `an error while Brezel read a row: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw natsError('ERR_NATS_VALUE', { received, cause });
  }
}

/** @throws ERR_NATS_TOO_LARGE if the key is very long. */
export function encodeRequest(head: RequestHead, rows: EncodedRows): Uint8Array {
  return Buffer.concat([MAGIC, encodeValue(head, RESERVED_BYTES / 2), rows]);
}

/**
 * Decodes and checks a request.
 * @throws ERR_NATS_MESSAGE
 */
export function decodeRequest(bytes: Uint8Array): RequestHead & { readonly rows: readonly Row[] } {
  const [head, rows] = decodeValues(content(bytes), 2) as [Partial<RequestHead> | null, unknown];
  const { verb, reference, key } = typeof head === 'object' && head !== null ? head : {};
  if (verb === undefined || !verbs.includes(verb)) throw invalid(`one of the verbs ${verbs.join(', ')}`);
  if (typeof reference !== 'string') throw invalid('the reference of a model');
  if (key !== undefined && typeof key !== 'string' && typeof key !== 'number')
    throw invalid('a text or a number as key');
  const count = Array.isArray(rows) ? rows.length : 0;
  if (count > MAX_ROWS) throw invalid(`a list of at most ${MAX_ROWS} rows`);
  if (verb === 'predict' && count !== 1) throw invalid('one row');
  if (verb === 'describe' && count !== 0) throw invalid('no rows');
  // The registry reports an error if the rows of a batch are not a list.
  return { verb, reference, key, rows: rows as readonly Row[] };
}

/**
 * Returns the headers of a message.
 * @throws ERR_NATS_MESSAGE if a header has an invalid name.
 */
export function headersOf(message: Msg): MsgHdrs | undefined {
  try {
    return message.headers;
  } catch (cause) {
    throw natsError('ERR_NATS_MESSAGE', { expected: 'valid headers', received: 'other headers', cause });
  }
}

/** @throws ERR_NATS_TOO_LARGE */
export const encodeReply = (reply: Reply, maxPayload: number): Uint8Array =>
  Buffer.concat([MAGIC, encodeValue(reply, maxPayload - RESERVED_BYTES)]);

/** Encodes an error. Cuts texts that are too long for a message. */
export function encodeError(error: SentError): Uint8Array {
  return Buffer.concat([MAGIC, encodeValue({ error: shortened(error) }, Number.MAX_SAFE_INTEGER)]);
}

/**
 * Decodes the message of a server: answers or an error.
 * @throws ERR_NATS_MESSAGE
 */
export function decodeReply(bytes: Uint8Array): Reply | BrezelError {
  const [value] = decodeValues(content(bytes), 1);
  const reply = (typeof value === 'object' && value !== null ? value : {}) as Partial<Reply> & { error?: unknown };
  if (reply.error !== undefined) return receivedError(reply.error);
  const { version, answers } = reply;
  if (typeof version !== 'string' || !Array.isArray(answers)) throw invalid('a version and its answers');
  return { version, answers };
}

function content(bytes: Uint8Array): Uint8Array {
  if (MAGIC.every((byte, index) => bytes[index] === byte)) return bytes.subarray(MAGIC.length);
  throw invalid('a message of @brezel/nats, version 1');
}

/** The largest number of characters of a text in an error message. */
const MAX_TEXT = 2000;

const shortened = (error: SentError): SentError => {
  const details = Object.entries(error.details).map(([name, value]) => [name, cut(value)]);
  const { message, hint } = error;
  return { ...error, message: cut(message), hint: cut(hint), details: Object.fromEntries(details) };
};

const cut = <Value>(value: Value): Value =>
  (typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value) as Value;

const invalid = (expected: string) => natsError('ERR_NATS_MESSAGE', { expected, received: 'another value' });
