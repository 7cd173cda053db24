const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Writes bytes with three digits: `1.27 MB`. */
export function bytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3));
  return `${digits(value / 1000 ** power)} ${UNITS[power]}`;
}

/** Writes milliseconds with three digits, or a dash without a value. */
export const milliseconds = (value: number | undefined): string => (value === undefined ? '–' : digits(value));

/** Writes nanoseconds as microseconds. */
export const microseconds = (nanoseconds: number): string => `${digits(nanoseconds / 1000)} µs`;

/** Writes a share from 0 to 1 as percent. */
export const percent = (share: number): string => `${digits(share * 100)} %`;

/** Writes a count with separators between thousands. */
export const count = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Writes a number with at most three digits, without an exponent for everyday sizes. */
export function digits(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return `${value}`;
  return Math.abs(value) >= 1000 ? count(value) : `${Number(value.toPrecision(3))}`;
}
