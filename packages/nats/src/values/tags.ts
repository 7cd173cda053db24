/** The byte that precedes each value in a message. The numbers are part of the protocol. */
export const Tag = {
  undefined: 0,
  null: 1,
  false: 2,
  true: 3,
  /** 8 bytes. */
  float64: 4,
  /** The sign (1 byte), the number of bytes, and the bytes of the magnitude, smallest first. */
  bigint: 5,
  /** The number of bytes, and the text in UTF-8. */
  text: 6,
  /** The number of bytes, and the text in UTF-16: a text with half a surrogate pair. */
  text16: 7,
  /** The number of elements, and each element. */
  list: 8,
  /** The number of elements, and a list of numbers, 8 bytes each. */
  float64s: 9,
  /** The number of elements, and a list of numbers that float32 represents, 4 bytes each. */
  float32s: 10,
  /** The number of fields, and each name and value. */
  object: 11,
  /** The number of entries, and each key and value. */
  map: 12,
  /** The kind (1 byte), the number of bytes, and the elements of a typed array. */
  typedArray: 13,
  /**
   * A list of objects that have the same fields: the number of objects, the number of fields, and
   * for each field its name and the list of its values.
   */
  table: 14,
} as const;

/** The classes of typed arrays. The index of a class is its kind in a message. */
export const typedArrays = [
  Float64Array,
  Float32Array,
  Int32Array,
  Uint32Array,
  Int16Array,
  Uint16Array,
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  BigInt64Array,
  BigUint64Array,
] as const;

/** The largest depth of nested values in a message. */
export const MAX_DEPTH = 64;
