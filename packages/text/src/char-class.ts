const LAST = 0x10ffff;

/**
 * A set of code points as a list of ranges: `[first, last, first, last, ...]`. Each range includes
 * `last`. The ranges are sorted, do not overlap and are not adjacent.
 */
export type CharClass = readonly number[];

export const anyCodePoint: CharClass = [0, LAST];

/**
 * Returns the class that contains all given ranges. Sorts the ranges and merges ranges that overlap
 * or are adjacent.
 */
export function charClass(ranges: readonly number[]): CharClass {
  const pairs: [number, number][] = [];
  for (let index = 0; index < ranges.length; index += 2) pairs.push([ranges[index]!, ranges[index + 1]!]);
  pairs.sort((a, b) => a[0] - b[0]);
  const merged: number[] = [];
  for (const [first, last] of pairs) {
    const end = merged.at(-1);
    if (end !== undefined && first <= end + 1) merged[merged.length - 1] = Math.max(end, last);
    else merged.push(first, last);
  }
  return merged;
}

export function complement(set: CharClass): CharClass {
  const ranges: number[] = [];
  let next = 0;
  for (let index = 0; index < set.length; index += 2) {
    if (set[index]! > next) ranges.push(next, set[index]! - 1);
    next = set[index + 1]! + 1;
  }
  if (next <= LAST) ranges.push(next, LAST);
  return ranges;
}

export function sameClass(a: CharClass, b: CharClass): boolean {
  return a.length === b.length && a.every((bound, index) => bound === b[index]);
}

/** Returns whether `codePoint` is in the class. Cost: O(log ranges). */
export function hasCodePoint(set: CharClass, codePoint: number): boolean {
  // Find the first bound that is not below the code point. The code point is in the class if that
  // bound ends a range, or starts one and equals it.
  let low = 0;
  let high = set.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (set[middle]! < codePoint) low = middle + 1;
    else high = middle;
  }
  return low < set.length && (low % 2 === 1 || set[low] === codePoint);
}

/**
 * Returns a JavaScript regular expression that matches a class followed by `suffix`. For example,
 * `classExpression(unicodeSpace, '{2,}')` matches two or more spaces.
 */
export function classExpression(set: CharClass, suffix: string): RegExp {
  const escaped = (codePoint: number) => `\\u{${codePoint.toString(16)}}`;
  const ranges = set.map((bound, index) => (index % 2 === 0 ? escaped(bound) : `-${escaped(bound)}`));
  return new RegExp(`[${ranges.join('')}]${suffix}`, 'gu');
}

/**
 * The classes `\d`, `\s` and `\w` as RE2 defines them. They contain only ASCII characters, and `\s`
 * does not contain the vertical tab.
 */
export const perlClasses: Readonly<Record<string, CharClass>> = {
  d: charClass([0x30, 0x39]),
  s: charClass([0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20]),
  w: charClass([0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]),
};

/** The classes `[[:name:]]` of RE2, by name. */
export const posixClasses: Readonly<Record<string, CharClass>> = {
  alnum: charClass([0x30, 0x39, 0x41, 0x5a, 0x61, 0x7a]),
  alpha: charClass([0x41, 0x5a, 0x61, 0x7a]),
  ascii: charClass([0x00, 0x7f]),
  blank: charClass([0x09, 0x09, 0x20, 0x20]),
  cntrl: charClass([0x00, 0x1f, 0x7f, 0x7f]),
  digit: charClass([0x30, 0x39]),
  graph: charClass([0x21, 0x7e]),
  lower: charClass([0x61, 0x7a]),
  print: charClass([0x20, 0x7e]),
  punct: charClass([0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e]),
  space: charClass([0x09, 0x0d, 0x20, 0x20]),
  upper: charClass([0x41, 0x5a]),
  word: charClass([0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]),
  xdigit: charClass([0x30, 0x39, 0x41, 0x46, 0x61, 0x66]),
};
