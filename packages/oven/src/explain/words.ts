/** 1.5 KB, 20.1 MB: as people read sizes. Fractions of bytes, which averages have, are rounded. */
export function printBytes(bytes: number): string {
  if (bytes < 999.5) return `${Math.round(bytes)} B`;
  const [unit, size] = bytes < 999_950 ? ['KB', 1e3] : bytes < 999_950_000 ? ['MB', 1e6] : ['GB', 1e9];
  return `${(bytes / (size as number)).toFixed(1)} ${unit}`;
}

/** `0.042 µs`, `1.23 µs`, `45.6 µs`, `1.20 ms`: three digits. */
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

/** `1 stage`, `3 stages`. */
export const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** `both models`, `all 4 models`, `2 of 4 models`. */
export function partOfModels(users: number, models: number): string {
  if (users < models) return `${users} of ${models} models`;
  return models === 2 ? 'both models' : `all ${models} models`;
}

/** Which of the stages run in JavaScript, and why, on a line; nothing where none need to. */
export function javascriptLines(stages: readonly number[], all: number): string[] {
  if (stages.length === 0) return [];
  if (stages.length === all) return ['runs in JavaScript: operators without a kernel in every stage'];
  const named = stages.length === 1 ? `stage ${stages[0]} runs` : `stages ${stages.join(', ')} run`;
  return [`${named} in JavaScript: operators without a kernel`];
}

/** Which of the stages are models of another runtime, on a line. */
export function backendLines(stages: readonly number[]): string[] {
  if (stages.length === 0) return [];
  const named = stages.length === 1 ? `stage ${stages[0]} runs` : `stages ${stages.join(', ')} run`;
  return [`${named} on a backend: predict, predictBatch and predictStream answer, predictSync does not`];
}

const SHOWN_CHARACTERS = 200;

/**
 * A name out of a file, safe to show on one line: control characters, which a terminal would obey, marks that turn the direction of what
 * follows, and halves of characters become U+FFFD, heaps of accents are thinned out, and what is too long is cut.
 */
export function printable(name: string, longest = SHOWN_CHARACTERS): string {
  const safe = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu, '\u{fffd}')
    .replace(/(\p{M}{2})\p{M}+/gu, '$1');
  const characters = [...safe.slice(0, 2 * longest + 2)];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : safe;
}

/** Rows of cells as aligned columns, two spaces apart. Cells of one column are padded on the side that `alignments` tells; trailing blanks go. */
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
