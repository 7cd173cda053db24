/**
 * Formats a number of bytes for people: 1.5 KB, 20.1 MB. Below 1 KB, rounds to whole bytes, because
 * an average may have a fraction.
 */
export function printBytes(bytes: number): string {
  if (bytes < 999.5) return `${Math.round(bytes)} B`;
  const [unit, size] = bytes < 999_950 ? ['KB', 1e3] : bytes < 999_950_000 ? ['MB', 1e6] : ['GB', 1e9];
  return `${(bytes / (size as number)).toFixed(1)} ${unit}`;
}

/** Formats a time with three digits: `0.042 µs`, `1.23 µs`, `45.6 µs`, `1.20 ms`. */
export function printTime(nanoseconds: number): string {
  const micros = nanoseconds / 1000;
  if (micros >= 999.5) return `${threeDigits(micros / 1000)} ms`;
  return `${threeDigits(micros)} µs`;
}

function threeDigits(number: number): string {
  const size = Math.abs(number);
  return number.toFixed(size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

export const percent = (share: number) => `${Math.round(share * 100)} %`;

/** Formats a number with its noun: `1 stage`, `3 stages`. */
export const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/**
 * Describes how many of the models have something: `both models`, `all 4 models`, `2 of 4 models`.
 */
export function partOfModels(users: number, models: number): string {
  if (users < models) return `${users} of ${models} models`;
  return models === 2 ? 'both models' : `all ${models} models`;
}

/**
 * Returns a line about the stages that run in JavaScript, with the reason. Returns an empty list if
 * no stage runs in JavaScript.
 */
export function javascriptLines(stages: readonly number[], all: number): string[] {
  if (stages.length === 0) return [];
  if (stages.length === all) return ['all stages run in JavaScript: each has an operator without a kernel'];
  const named = stages.length === 1 ? `stage ${stages[0]} runs` : `stages ${stages.join(', ')} run`;
  return [`${named} in JavaScript: operators without a kernel`];
}

/**
 * Returns a line with the numbers of the stages that another runtime runs, or an empty list if no
 * such stage exists.
 */
export function backendLines(stages: readonly number[]): string[] {
  if (stages.length === 0) return [];
  const named = stages.length === 1 ? `stage ${stages[0]} runs` : `stages ${stages.join(', ')} run`;
  return [`${named} in a backend: use predict, predictBatch or predictStream; predictSync fails`];
}

const SHOWN_CHARACTERS = 200;

/**
 * Makes a name from a file safe to print on one line. Replaces control characters, direction marks
 * and lone surrogates by U+FFFD, keeps at most two accents of a character, and truncates long
 * names.
 */
export function printable(name: string, longest = SHOWN_CHARACTERS): string {
  const safe = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu, '\u{fffd}')
    .replace(/(\p{M}{2})\p{M}+/gu, '$1');
  const characters = [...safe.slice(0, 2 * longest + 2)];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : safe;
}

/**
 * Aligns cells in columns that are two spaces apart. `alignments` contains the side of each column.
 * Removes trailing spaces.
 */
export function alignColumns(
  rows: readonly (readonly string[])[],
  alignments: readonly ('left' | 'right')[] = [],
): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, length(cell));
    });
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const blanks = ' '.repeat(widths[column]! - length(cell));
        return alignments[column] === 'right' ? blanks + cell : cell + blanks;
      })
      .join('  ')
      .trimEnd(),
  );
}

const length = (text: string) => [...text].length;
