import { protocolError } from './errors.js';
import { shown } from './shown.js';

const NO_BYTES = new Uint8Array(0);

/**
 * Splits a body into the JSON and the binary tensors.
 *
 * @param header the header `Inference-Header-Content-Length`, which is the length of the JSON.
 * @throws a ProtocolError of kind BINARY if the header does not contain a valid length.
 */
export function splitBody(body: Uint8Array, header: string | string[] | undefined): readonly [Uint8Array, Uint8Array] {
  if (header === undefined) return [body, NO_BYTES];
  const length = typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : Number.NaN;
  if (length <= body.length) return [body.subarray(0, length), body.subarray(length)];
  throw protocolError('BINARY', {
    expected: `a JSON length up to ${body.length}, the length of the body`,
    received: String(header).slice(0, 40),
    at: 'Inference-Header-Content-Length',
  });
}

/**
 * The bytes that follow the JSON of a request or a response. The binary tensors are stored one
 * after the other, in the order of the JSON.
 */
export class BinaryTensors {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(size: unknown, at: string): Uint8Array {
    const left = this.#bytes.length - this.#offset;
    if (!Number.isSafeInteger(size) || (size as number) < 0 || (size as number) > left)
      throw protocolError('BINARY', {
        expected: `binary_data_size up to ${left}, the bytes that are left`,
        received: shown(size),
        at,
      });
    this.#offset += size as number;
    return this.#bytes.subarray(this.#offset - (size as number), this.#offset);
  }

  checkEnd(): void {
    const left = this.#bytes.length - this.#offset;
    if (left > 0) throw protocolError('BINARY', { received: `${left} bytes after the last tensor` });
  }
}
