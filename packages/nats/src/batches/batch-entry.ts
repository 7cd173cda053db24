import { natsError } from '../errors.js';

/** A batch of rows that the servers of a model answer offline. */
export interface BatchEntry {
  readonly id: string;
  /**
   * The name of the batch in the subjects of its chunks and answers. A removed batch and a new
   * batch with the same id have different keys. A late answer to the removed batch is therefore
   * never an answer of the new batch.
   */
  readonly key: string;
  /** The version that answers all rows, as `name@version`. */
  readonly version: string;
  readonly isCancelled: boolean;
  /** The number of rows and of chunks. Undefined until all chunks are in the queue. */
  readonly size?: BatchSize;
}

/** The size of a batch. */
export interface BatchSize {
  readonly rows: number;
  readonly chunks: number;
}

const FORMAT = 'brezel-batch-1';
const ID = /^[-\w]{1,64}$/;

/**
 * Checks the id of a batch.
 * @throws ERR_NATS_BATCH
 */
export function checkId(id: unknown): string {
  if (typeof id === 'string' && ID.test(id)) return id;
  throw batchError(
    'an id of 1 to 64 letters, digits, - and _',
    typeof id === 'string' ? JSON.stringify(id) : typeof id,
  );
}

export const encodeBatch = (entry: BatchEntry): string => JSON.stringify({ format: FORMAT, ...entry });

/**
 * Decodes and checks the entry of a batch.
 * @throws ERR_NATS_BATCH
 */
export function decodeBatch(bytes: Uint8Array): BatchEntry {
  const { format, id, key, version, isCancelled, size } = parsed(bytes);
  const isValid =
    format === FORMAT &&
    typeof id === 'string' &&
    ID.test(id) &&
    typeof key === 'string' &&
    ID.test(key) &&
    typeof version === 'string' &&
    typeof isCancelled === 'boolean';
  if (!isValid || (size !== undefined && !isSize(size))) throw batchError('an entry of a batch', 'another value');
  return { id, key, version, isCancelled, ...(size !== undefined && { size }) };
}

function isSize(value: unknown): value is BatchSize {
  const { rows, chunks } = (value ?? {}) as Partial<BatchSize>;
  return [rows, chunks].every((count) => Number.isSafeInteger(count) && count! >= 0);
}

function parsed(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export const batchError = (expected: string, received: string, at?: string, hint?: string) =>
  natsError('ERR_NATS_BATCH', { expected, received, ...(at && { at }), ...(hint && { hint }) });
