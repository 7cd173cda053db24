/** Under what a value is found: -0 is 0, and a NaN is equal to a NaN, as in a Map. */
export const keyOf = (value: string | number | bigint) => (value === 0 ? 0 : value);
