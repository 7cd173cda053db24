/**
 * Parses integers in base 36 that are separated by white space. Generated tables have this form, so
 * that a table takes no time to load until a process uses it.
 */
export const packedNumbers = (text: string): number[] =>
  text
    .trim()
    .split(/\s+/)
    .map((digits) => Number.parseInt(digits, 36));
