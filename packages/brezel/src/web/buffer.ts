// The functions of Node's Buffer that reading a fleet file and packing dictionaries use. The bundle
// of `brezel/web` contains this class in place of Buffer (scripts/bundle-web.mjs).

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** A Uint8Array with the methods of Node's Buffer that `brezel/web` needs. */
class Bytes extends Uint8Array {
  equals(other: Uint8Array): boolean {
    return this.length === other.length && this.every((byte, at) => byte === other[at]);
  }

  override toString(encoding: 'latin1' | 'hex' | 'utf8' = 'utf8', from = 0, to = this.length): string {
    const bytes = super.subarray(from, to);
    if (encoding === 'utf8') return decoder.decode(bytes);
    let text = '';
    for (const byte of bytes)
      text += encoding === 'hex' ? byte.toString(16).padStart(2, '0') : String.fromCharCode(byte);
    return text;
  }

  utf8Slice(from: number, to: number): string {
    return this.toString('utf8', from, to);
  }

  latin1Slice(from: number, to: number): string {
    return this.toString('latin1', from, to);
  }

  readUInt32LE(at: number): number {
    return this.#view.getUint32(at, true);
  }

  readBigUInt64LE(at: number): bigint {
    return this.#view.getBigUint64(at, true);
  }

  writeUInt32LE(value: number, at: number): number {
    this.#view.setUint32(at, value, true);
    return at + 4;
  }

  writeBigInt64LE(value: bigint, at: number): number {
    this.#view.setBigInt64(at, value, true);
    return at + 8;
  }

  writeDoubleLE(value: number, at: number): number {
    this.#view.setFloat64(at, value, true);
    return at + 8;
  }

  write(text: string, at: number): number {
    return encoder.encodeInto(text, super.subarray(at)).written;
  }

  get #view(): DataView {
    return new DataView(this.buffer, this.byteOffset, this.byteLength);
  }
}

/**
 * Returns a view of an ArrayBuffer, a copy of a list of bytes, or the bytes of hexadecimal digits.
 */
function from(source: ArrayBuffer | ArrayLike<number> | string, first?: number | string, length?: number): Bytes {
  if (typeof source === 'string') return fromDigits(source);
  if (source instanceof ArrayBuffer) return new Bytes(source, first as number, length);
  const made = new Bytes(source.length);
  made.set(source);
  return made;
}

function fromDigits(text: string): Bytes {
  const made = new Bytes(text.length >> 1);
  for (let at = 0; at < made.length; at++) made[at] = Number.parseInt(text.slice(2 * at, 2 * at + 2), 16);
  return made;
}

/** The static functions of Node's Buffer that `brezel/web` needs. */
export const Buffer = {
  from,
  allocUnsafeSlow: (bytes: number): Uint8Array => new Bytes(bytes),
  byteLength: (text: string): number => encoder.encode(text).length,
};
