/** Returns the code point of a UTF-16 surrogate pair. */
export function joinSurrogates(high: number, low: number): number {
  return ((high - 0xd800) << 10) + (low - 0xdc00) + 0x10000;
}

/**
 * Returns whether a UTF-16 unit starts a surrogate pair. Texts are well-formed, so the next unit is
 * the second half of the pair.
 */
export function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

/**
 * Returns the code point of a text with a single code point. Returns -1 if the text is empty, has
 * several code points, or is a lone surrogate.
 */
export function singleCodePoint(text: string): number {
  if (text.length === 0 || text.length > 2 || !text.isWellFormed()) return -1;
  const codePoint = text.codePointAt(0)!;
  return text.length === (codePoint > 0xffff ? 2 : 1) ? codePoint : -1;
}

/** Writes one code point as UTF-8 at `offset` (up to 4 bytes) and returns the end offset. */
export function writeCodePoint(codePoint: number, bytes: Uint8Array, offset: number): number {
  if (codePoint < 0x80) {
    bytes[offset] = codePoint;
    return offset + 1;
  }
  if (codePoint < 0x800) {
    bytes[offset] = 0xc0 | (codePoint >> 6);
    bytes[offset + 1] = 0x80 | (codePoint & 0x3f);
    return offset + 2;
  }
  if (codePoint < 0x10000) {
    bytes[offset] = 0xe0 | (codePoint >> 12);
    bytes[offset + 1] = 0x80 | ((codePoint >> 6) & 0x3f);
    bytes[offset + 2] = 0x80 | (codePoint & 0x3f);
    return offset + 3;
  }
  bytes[offset] = 0xf0 | (codePoint >> 18);
  bytes[offset + 1] = 0x80 | ((codePoint >> 12) & 0x3f);
  bytes[offset + 2] = 0x80 | ((codePoint >> 6) & 0x3f);
  bytes[offset + 3] = 0x80 | (codePoint & 0x3f);
  return offset + 4;
}

/**
 * Writes a well-formed text as UTF-8 at `offset` and returns the offset of its end. A UTF-16 unit
 * takes up to 3 bytes. Allocates no memory.
 */
export function writeUtf8(text: string, bytes: Uint8Array, offset: number): number {
  let end = offset;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes[end++] = unit;
    else end = writeCodePoint(isHighSurrogate(unit) ? joinSurrogates(unit, text.charCodeAt(++i)) : unit, bytes, end);
  }
  return end;
}

/** Returns how many bytes the UTF-8 of a code point has. `first` is its first byte. */
export function utf8Length(first: number): number {
  return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/**
 * Reads the code point whose valid UTF-8 starts at `offset`. The code point has
 * `utf8Length(bytes[offset])` bytes.
 */
export function readCodePoint(bytes: Uint8Array, offset: number): number {
  const first = bytes[offset]!;
  if (first < 0x80) return first;
  const second = bytes[offset + 1]! & 0x3f;
  if (first < 0xe0) return ((first & 0x1f) << 6) | second;
  const third = bytes[offset + 2]! & 0x3f;
  if (first < 0xf0) return ((first & 0x0f) << 12) | (second << 6) | third;
  return ((first & 0x07) << 18) | (second << 12) | (third << 6) | (bytes[offset + 3]! & 0x3f);
}
