/**
 * Parses whole numbers in base 36, separated by white space. A table in this form costs nothing
 * until it is parsed.
 */
export const packedNumbers = (text: string): number[] =>
  text
    .trim()
    .split(/\s+/)
    .map((digits) => Number.parseInt(digits, 36));
