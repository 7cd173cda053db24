/**
 * Parses whole numbers in base 36, separated by white space. Generated tables have this form,
 * because an unparsed table takes no time to load.
 */
export const packedNumbers = (text: string): number[] =>
  text
    .trim()
    .split(/\s+/)
    .map((digits) => Number.parseInt(digits, 36));
