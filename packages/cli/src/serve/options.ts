import { InvalidArgumentError } from 'commander';

const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30 };

/** The largest number that the servers accept as a limit. */
const MOST = 2 ** 31 - 1;

/** Parses a number of bytes from 1 to 2^31 - 1: `4096`, `512kb`, `16mb`, `1gb`. */
export const parseBytes = (text: string): number => bytesIn(text, MOST);

/** Parses a size of memory of at least one byte: `512mb`, `2gb`. */
export const parseMemory = (text: string): number => bytesIn(text, Number.MAX_SAFE_INTEGER);

function bytesIn(text: string, most: number): number {
  const [, digits, unit] = /^(\d{1,12})\s*([kmg]?b)?$/i.exec(text) ?? [];
  if (digits === undefined) throw new InvalidArgumentError('Write bytes as 4096, 512kb, 16mb or 1gb.');
  const bytes = Number(digits) * UNITS[(unit ?? '').toLowerCase()]!;
  if (bytes >= 1 && bytes <= most) return bytes;
  throw new InvalidArgumentError(`Write a number of bytes from 1 to ${most}.`);
}

/** Returns a parser of integers in a range. */
export const integerFrom =
  (least: number, most = MOST) =>
  (text: string): number => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Write an integer from ${least} to ${most}.`);
  };

const GROUPS = ['predict', 'metrics', 'page'] as const;

/** A group of routes that `--open` makes available without a token. */
export type OpenGroup = (typeof GROUPS)[number];

/** Parses the value of `--open`: the groups of routes that need no token. */
export function parseGroups(text: string): OpenGroup[] {
  return text.split(',').map((given) => {
    const group = GROUPS.find((one) => one === given);
    if (group !== undefined) return group;
    throw new InvalidArgumentError('Write predict, metrics and page, with commas between them.');
  });
}

/**
 * Parses the addresses of NATS servers, with commas between them. `joinCluster` checks
 * the addresses.
 */
export function parseAddresses(text: string): string[] {
  const addresses = text.split(',').map((address) => address.trim());
  if (!addresses.includes('')) return addresses;
  throw new InvalidArgumentError('Write nats://HOST:PORT, with commas between several addresses.');
}
