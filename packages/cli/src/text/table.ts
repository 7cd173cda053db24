import Table from 'cli-table3';

const sides = ['top', 'bottom', 'left', 'right', 'mid'] as const;
const joints = ['top-mid', 'top-left', 'top-right', 'bottom-mid', 'bottom-left', 'bottom-right'] as const;
const inner = ['left-mid', 'mid-mid', 'right-mid', 'middle'] as const;
const noLines = Object.fromEntries([...sides, ...joints, ...inner].map((part) => [part, '']));

/**
 * Aligns cells in columns without lines, indented by two spaces. A wide character counts as two
 * columns of the terminal, and a color as none.
 */
export function columns(rows: readonly (readonly string[])[], alignments: readonly ('left' | 'right')[] = []): string {
  const table = new Table({
    chars: noLines,
    style: { head: [], border: [], 'padding-left': 2, 'padding-right': 0 },
    colAligns: [...alignments],
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Formats a size as EXPLAIN does: `300 B`, `2.4 KB`, `1.2 MB`. */
export function printBytes(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`;
  const [unit, size] = bytes < 1e6 ? ['KB', 1e3] : bytes < 1e9 ? ['MB', 1e6] : ['GB', 1e9];
  return `${(bytes / (size as number)).toFixed(1)} ${unit}`;
}

/** Formats a number with its noun: `1 stage`, `3 stages`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/**
 * Replaces the control characters in a name from a file, because a terminal would execute them.
 */
export function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, '\u{fffd}');
}
