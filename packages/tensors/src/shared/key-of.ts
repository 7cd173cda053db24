/** Returns the lookup key of a value: -0 equals 0, and NaN equals NaN, as in a Map. */
export const keyOf = (value: string | number | bigint) => (value === 0 ? 0 : value);
