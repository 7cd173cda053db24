import Table from 'cli-table3';
import pc from 'picocolors';

/** Colors for terminals; NO_COLOR turns them off. */
export const { bold, dim, green, red, cyan } = pc.createColors(pc.isColorSupported && process.stdout.isTTY === true);

export const title = (text: string) => console.log(`\n${bold(text)}\n`);

const lines =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right';
const noLines = Object.fromEntries([...lines.split(' '), 'right-mid', 'middle'].map((line) => [line, '']));

/**
 * Prints aligned columns without lines. The first column is aligned to the left, the others to the
 * right.
 */
export function printColumns(rows: readonly (readonly string[])[]): void {
  const width = rows[0]!.length;
  const table = new Table({
    chars: noLines,
    style: { head: [], border: [], 'padding-left': 3, 'padding-right': 0 },
    colAligns: Array.from({ length: width }, (_, column) => (column === 0 ? 'left' : 'right')),
  });
  table.push(...rows.map((row) => [...row]));
  console.log(table.toString());
}

export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
export const kilobytes = (bytes: number) => `${(bytes / 1e3).toFixed(bytes < 1e5 ? 1 : 0)} KB`;
export const milliseconds = (ms: number) => `${ms.toFixed(0)} ms`;

/** Formats a time: `1.9 µs`, `38 µs`, `6.5 ms`. */
export function microseconds(micros: number): string {
  if (micros >= 1e3) return `${(micros / 1e3).toFixed(micros < 1e4 ? 1 : 0)} ms`;
  return `${micros.toFixed(micros < 10 ? 1 : 0)} µs`;
}
