/** Whole numbers written in base 36, with white space between: a table that costs nothing until it is read. */
export const packedNumbers = (text: string): number[] =>
  text
    .trim()
    .split(/\s+/)
    .map((digits) => Number.parseInt(digits, 36));
