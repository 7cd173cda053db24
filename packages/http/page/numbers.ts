const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Writes bytes with three digits: `1.27 MB`. */
export function bytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3));
  return `${digits(value / 1000 ** power)} ${UNITS[power]}`;
}

/** Writes a number of milliseconds, or a dash if there is none. */
export const milliseconds = (value: number | undefined): string => (value === undefined ? '–' : digits(value));

/** Writes nanoseconds as microseconds. */
export const microseconds = (nanoseconds: number): string => `${digits(nanoseconds / 1000)} µs`;

/** Writes a share from 0 to 1 as percent. */
export const percent = (share: number): string => `${digits(share * 100)} %`;

/** Writes a count with separators between thousands. */
export const count = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Writes a number below 1000 with three digits, and a larger one as an integer: `1,234,567`. */
export function digits(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return `${value}`;
  return Math.abs(value) >= 1000 ? count(value) : `${Number(value.toPrecision(3))}`;
}
