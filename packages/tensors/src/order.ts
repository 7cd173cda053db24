/**
 * Compares elements for sorting: numbers by value with NaN as the greatest, strings by code points.
 */
export function ascending(a: number | bigint | string, b: number | bigint | string): number {
  if (typeof a === 'string' && typeof b === 'string') return byCodePoints(a, b);
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

/**
 * Compares strings by code points. JavaScript compares UTF-16 units, which sorts code points from
 * U+10000 on (surrogates) before U+E000.
 */
function byCodePoints(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === a.length || at === b.length) return a.length - b.length;
  return unitRank(a.charCodeAt(at)) - unitRank(b.charCodeAt(at));
}

function unitRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
