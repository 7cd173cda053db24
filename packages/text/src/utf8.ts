/** The code point of a UTF-16 surrogate pair. */
export function joinSurrogates(high: number, low: number): number {
  return ((high - 0xd800) << 10) + (low - 0xdc00) + 0x10000;
}

/** Whether a UTF-16 unit starts a surrogate pair (texts are well formed, so the other half follows). */
export function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

/** The only code point of `text`, or -1 when it has none, several or half a one. */
export function singleCodePoint(text: string): number {
  if (text.length === 0 || text.length > 2 || !text.isWellFormed()) return -1;
  const codePoint = text.codePointAt(0)!;
  return text.length === (codePoint > 0xffff ? 2 : 1) ? codePoint : -1;
}

/** Writes one code point as UTF-8 at `at` (up to 4 bytes) and returns where it ends. */
export function writeCodePoint(codePoint: number, bytes: Uint8Array, at: number): number {
  if (codePoint < 0x80) {
    bytes[at] = codePoint;
    return at + 1;
  }
  if (codePoint < 0x800) {
    bytes[at] = 0xc0 | (codePoint >> 6);
    bytes[at + 1] = 0x80 | (codePoint & 0x3f);
    return at + 2;
  }
  if (codePoint < 0x10000) {
    bytes[at] = 0xe0 | (codePoint >> 12);
    bytes[at + 1] = 0x80 | ((codePoint >> 6) & 0x3f);
    bytes[at + 2] = 0x80 | (codePoint & 0x3f);
    return at + 3;
  }
  bytes[at] = 0xf0 | (codePoint >> 18);
  bytes[at + 1] = 0x80 | ((codePoint >> 12) & 0x3f);
  bytes[at + 2] = 0x80 | ((codePoint >> 6) & 0x3f);
  bytes[at + 3] = 0x80 | (codePoint & 0x3f);
  return at + 4;
}

/** Writes a well-formed text as UTF-8 at `at` (up to 3 bytes a UTF-16 unit) and returns where it ends. No views, no allocation. */
export function writeUtf8(text: string, bytes: Uint8Array, at: number): number {
  let end = at;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes[end++] = unit;
    else end = writeCodePoint(isHighSurrogate(unit) ? joinSurrogates(unit, text.charCodeAt(++i)) : unit, bytes, end);
  }
  return end;
}

/** Bytes of the code point whose UTF-8 starts with `first`. */
export function utf8Length(first: number): number {
  return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/** The code point whose UTF-8 (valid) starts at `at`; it has `utf8Length(bytes[at])` bytes. */
export function readCodePoint(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return first;
  const second = bytes[at + 1]! & 0x3f;
  if (first < 0xe0) return ((first & 0x1f) << 6) | second;
  const third = bytes[at + 2]! & 0x3f;
  if (first < 0xf0) return ((first & 0x0f) << 12) | (second << 6) | third;
  return ((first & 0x07) << 18) | (second << 12) | (third << 6) | (bytes[at + 3]! & 0x3f);
}
