import type { Flow } from '@brezel/flour';
import { damaged } from '../errors.js';
import { asFloat, choose, isPresent } from '../operands.js';
import { MISSING } from '../value.js';

/** The classes that a model predicts, in order. */
export class Classes {
  readonly names: readonly string[];
  readonly #places: ReadonlyMap<string, number>;

  constructor(names: Iterable<string>) {
    this.names = [...new Set(names)];
    this.#places = new Map(this.names.map((name, place) => [name, place]));
  }

  get size(): number {
    return this.names.length;
  }

  place(name: string, at: string): number {
    const place = this.#places.get(name);
    if (place === undefined) throw damaged(at, 'a class of the target', JSON.stringify(name.slice(0, 40)));
    return place;
  }
}

const known = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

/** Returns the index of a class in a list, or -1. A list is searched often, so it has a map. */
export function placeOf(classes: readonly string[], name: string): number {
  let places = known.get(classes);
  if (places === undefined) {
    places = new Map(classes.map((one, place) => [one, place]));
    known.set(classes, places);
  }
  return places.get(name) ?? -1;
}

/** Returns the index of the greatest probability, or NaN if the probabilities are missing. */
export function mostProbable(probabilities: Flow<'vector'>): Flow<'vector'> {
  const best = asFloat(probabilities.argMax().asVector());
  return choose(isPresent(probabilities.selectColumns([0])), best, MISSING) as Flow<'vector'>;
}
