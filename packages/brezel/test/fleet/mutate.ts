import type { FleetT } from '../../../fleet-file/src/generated/fleet.js';
import type { GoldenT } from '../../../fleet-file/src/generated/golden.js';
import { forgeGolden } from './forge.js';

/** Draws an integer from 0 to below `limit`. */
export type Draw = (limit: number) => number;

/** Returns a source of random numbers that depend only on the seed. */
export function drawer(seed: number): Draw {
  let state = seed | 0;
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % limit;
  };
}

const NUMBERS = [0, 1, 2, 3, 7, 64, 255, 65536, 2 ** 24, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/**
 * Returns the location of every number, text, list and table of a manifest. Golden rows are opaque
 * bytes and count as one location.
 */
function places(value: unknown, found: Place[] = []): Place[] {
  if (value === null || typeof value !== 'object') return found;
  for (const key of Object.keys(value)) {
    found.push({ holder: value as Record<string, unknown>, key });
    if (key !== 'golden') places((value as Record<string, unknown>)[key], found);
  }
  return found;
}

/**
 * Changes one location of a manifest, to the value of another location or to a typical false value.
 *
 * @returns a description of the change
 */
export function mutate(table: FleetT | GoldenT, draw: Draw): string {
  const all = places(table);
  const { holder, key } = all[draw(all.length)]!;
  const old = holder[key];
  const isLikeIt = isOfKind(old);
  const other = () => {
    const likeIt = all.map((place) => place.holder[place.key]).filter(isLikeIt);
    return likeIt[draw(likeIt.length)];
  };
  // A packed list cannot contain undefined.
  holder[key] = Array.isArray(holder) && typeof old === 'object' ? other() : changed(old, other, draw);
  return `${holder.constructor.name}.${key}: ${show(old)} -> ${show(holder[key])}`;
}

/** Changes the golden rows of a random plan. Returns a description of the change. */
export function mutateGolden({ plans }: FleetT, draw: Draw): string {
  const plan = plans[draw(plans.length)]!;
  let change = 'no golden rows';
  if (plan.golden.length === 0) return change;
  forgeGolden(plan, (golden) => {
    change = mutate(golden, draw);
  });
  return change;
}

const kindOf = (value: unknown) => (value === null ? 'null' : (value as object).constructor.name);
const isOfKind = (one: unknown) => {
  const kind = one?.constructor;
  return (other: unknown) => other?.constructor === kind;
};
const show = (value: unknown) => (typeof value === 'object' ? kindOf(value) : String(value).slice(0, 60));

function changed(old: unknown, other: () => unknown, draw: Draw): unknown {
  switch (typeof old) {
    case 'number':
      return draw(3) === 0 ? other() : draw(2) === 0 ? NUMBERS[draw(NUMBERS.length)]! : Math.max(0, old + draw(3) - 1);
    case 'bigint':
      return draw(3) === 0 ? other() : draw(2) === 0 ? 1n << BigInt(draw(64)) : old + BigInt(draw(129));
    case 'boolean':
      return !old;
    case 'string':
      return [other(), '', '__proto__', `${old}x`, '{"size": 16777216}', '[]'][draw(6)];
  }
  if (!Array.isArray(old)) return draw(2) === 0 ? null : other();
  const at = draw(Math.max(old.length, 1));
  switch (draw(5)) {
    case 0:
      return [];
    case 1:
      return old.toSpliced(at, 1);
    case 2:
      return [...old, ...old.slice(at, at + 1)];
    case 3:
      return old.toReversed();
    default:
      return similar(old, other());
  }
}

/**
 * Returns a list that FlatBuffers can pack in place of `old`: `other` if its elements have the same
 * type, otherwise `old` without its first element.
 */
function similar(old: readonly unknown[], other: unknown): unknown {
  const fits = Array.isArray(other) && (other.length === 0 || kindOf(other[0]) === kindOf(old[0] ?? null));
  return fits ? other : old.slice(1);
}
