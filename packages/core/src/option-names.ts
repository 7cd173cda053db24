import type { ErrorDetails } from './errors.js';

/**
 * The names of the options of an interface. An option that is itself an options object has a nested
 * `OptionNames`.
 */
export interface OptionNames {
  readonly [name: string]: true | OptionNames;
}

/**
 * Returns the names of the options of an interface. TypeScript rejects missing and unknown names,
 * so the list and the interface never differ.
 */
export const optionNames = <Options>(names: { readonly [Name in keyof Required<Options>]: true | OptionNames }) =>
  names as OptionNames;

/**
 * Rejects an options object with an unknown name, because a misspelled option would have no effect.
 *
 * Cost: one lookup for each name of `options`.
 *
 * @param fail creates the error of the package.
 * @param at the function that has the options.
 * @throws the error of `fail`, with the nearest name.
 */
export function checkOptionNames(
  options: unknown,
  names: OptionNames,
  fail: (details: ErrorDetails) => Error,
  at: string,
): void {
  if (typeof options !== 'object' || options === null)
    throw fail({ expected: 'an object of options', received: String(options), at, hint: listed(names) });
  checkNames(options as Readonly<Record<string, unknown>>, names, fail, at, '');
}

function checkNames(
  options: Readonly<Record<string, unknown>>,
  names: OptionNames,
  fail: (details: ErrorDetails) => Error,
  at: string,
  path: string,
): void {
  for (const name in options) {
    const known = Object.hasOwn(names, name) ? names[name] : undefined;
    if (known === undefined) throw fail(unknownOption(name, names, at, path));
    if (known === true) continue;
    const inner = options[name];
    if (typeof inner === 'object' && inner !== null) checkNames(inner as never, known, fail, at, `${path}${name}.`);
  }
}

function unknownOption(name: string, names: OptionNames, at: string, path: string): ErrorDetails {
  const near = nearest(name, Object.keys(names));
  return {
    expected: near === undefined ? 'a known option' : `the option "${path}${near}"`,
    received: `the unknown option "${path}${name}"`,
    at,
    hint: listed(names, path),
  };
}

const listed = (names: OptionNames, path = ''): string =>
  `the options are ${Object.keys(names)
    .map((name) => path + name)
    .join(', ')}`;

/**
 * Returns the known name that needs the fewest edits. Returns undefined if no known name is similar
 * enough. A name of up to 8 characters may need 2 edits, a longer name one edit for every three
 * characters.
 */
function nearest(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const one of known) {
    const distance = edits(name.toLowerCase(), one.toLowerCase());
    if (distance >= least) continue;
    least = distance;
    best = one;
  }
  return best;
}

/** Returns how many insertions, deletions, replacements and swaps turn one text into the other. */
function edits(from: string, to: string): number {
  let older: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const isEqual = from[row - 1] === to[column - 1];
      let cost = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + (isEqual ? 0 : 1));
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isSwap) cost = Math.min(cost, older[column - 2]! + 1);
      next.push(cost);
    }
    older = last;
    last = next;
  }
  return last[to.length]!;
}
