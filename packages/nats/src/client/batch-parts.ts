import type { Answer, BrezelError, Row } from 'brezel';
import { type EncodedRows, encodeRows, MAX_ROWS, type Reply } from '../protocol/messages.js';
import { decodeValues } from '../values/decode.js';

/** The rows of one message of a batch. */
export interface BatchPart {
  /** The index of the first row in the batch. */
  readonly from: number;
  readonly count: number;
  readonly rows: EncodedRows;
}

/**
 * Encodes the rows of a batch in parts of at most 256 rows, each small enough for one message. An
 * empty batch has one part, so that a server checks the model.
 *
 * @throws ERR_NATS_VALUE, ERR_NATS_TOO_LARGE if one row exceeds the limit of a message.
 */
export function batchParts(rows: readonly Row[], maxPayload: number): BatchPart[] {
  const starts = Array.from({ length: Math.max(1, Math.ceil(rows.length / MAX_ROWS)) }, (_, part) => part * MAX_ROWS);
  return starts.flatMap((from) => partsOf(rows.slice(from, from + MAX_ROWS), from, maxPayload));
}

function partsOf(rows: readonly Row[], from: number, maxPayload: number): BatchPart[] {
  try {
    return [{ from, count: rows.length, rows: encodeRows(rows, maxPayload) }];
  } catch (error) {
    if (!isTooLarge(error) || rows.length < 2) throw error;
    return halves(rows, from, maxPayload);
  }
}

function halves(rows: readonly Row[], from: number, maxPayload: number): BatchPart[] {
  const middle = Math.ceil(rows.length / 2);
  return [
    ...partsOf(rows.slice(0, middle), from, maxPayload),
    ...partsOf(rows.slice(middle), from + middle, maxPayload),
  ];
}

export const isTooLarge = (error: unknown): boolean =>
  (error as BrezelError | undefined)?.code === 'ERR_NATS_TOO_LARGE';

/** Sends a part, and returns the answer of the server. */
export type SendPart = (part: BatchPart) => Promise<Reply>;

/**
 * Sends a part. If its answers exceed the limit of a message, sends its halves one after the other.
 */
export async function sendPart(part: BatchPart, maxPayload: number, send: SendPart): Promise<Reply> {
  try {
    return await send(part);
  } catch (error) {
    if (!isTooLarge(error) || part.count < 2) throw error;
    const [rows] = decodeValues(part.rows, 1) as [readonly Row[]];
    const answers: Answer[] = [];
    let version = '';
    for (const half of halves(rows, part.from, maxPayload)) {
      const reply = await sendPart(half, maxPayload, send);
      answers.push(...reply.answers);
      version = reply.version;
    }
    return { version, answers };
  }
}

/**
 * Sends parts, a limited number of them at the same time. Returns the answers in the order of the
 * parts. If a server is overloaded, fewer parts are in flight, so that a batch alone does not
 * overload the cluster. If parts fail, throws the error of the first of them, and cancels the parts
 * after it.
 *
 * @param send sends one part. The signal aborts when the answer is not needed.
 */
export async function sendAll(
  parts: readonly BatchPart[],
  concurrency: number,
  send: (part: BatchPart, cancel: AbortSignal) => Promise<Reply>,
): Promise<Answer[]> {
  const cancels = parts.map(() => new AbortController());
  const results = new Map<number, Reply>();
  const waiting = [...parts.keys()];
  let working = Math.min(concurrency, parts.length);
  let failed = parts.length;
  let failure: unknown;
  const fail = (index: number, error: unknown) => {
    if (index >= failed) return;
    failed = index;
    failure = error;
    for (const cancel of cancels.slice(index + 1)) cancel.abort();
  };
  const work = async () => {
    for (let index = waiting.shift(); index !== undefined && index < failed; index = waiting.shift()) {
      const isAlone = working === 1;
      try {
        results.set(index, await send(parts[index]!, cancels[index]!.signal));
      } catch (error) {
        // The other parts of this batch may cause the overload: send this part after one of them
        // has ended.
        const isOwnLoad = isOverloaded(error) && !isAlone;
        if (!isOwnLoad) fail(index, error);
        else {
          waiting.push(index);
          waiting.sort((one, other) => one - other);
          if (working > 1) break;
        }
      }
    }
    working--;
  };
  await Promise.all(Array.from({ length: working }, work));
  if (failed < parts.length) throw failure;
  return parts.flatMap((_, index) => results.get(index)!.answers);
}

const isOverloaded = (error: unknown): boolean => (error as BrezelError | undefined)?.code === 'ERR_RUNTIME_OVERLOADED';
