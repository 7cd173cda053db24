/**
 * Describes the valid indexes of a list, for error messages.
 *
 * @param what what the list contains, with its article
 * @example indexBelow('a feature', 3) // 'a feature below 3'
 */
export const indexBelow = (what: string, count: number): string =>
  count > 0 ? `${what} below ${count}` : `no ${what.replace(/^an? /, '')}, because the list is empty`;
