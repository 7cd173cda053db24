import type { Block, InputPort, Passage, Shares } from '@brezel/core';

/** What one value of the row adds to the score. */
export interface Contribution {
  /** Name of the input. */
  readonly input: string;
  /** What the value adds to the score. Negative if it lowers the score. */
  readonly value: number;
  /** Index of the value, if the input is a vector. */
  readonly index?: number;
  /** The number that the plan received. Absent for texts. */
  readonly received?: number;
  /** The n-gram or category that the model found in the text, as the model knows it. */
  readonly feature?: string;
  /**
   * The first place of the feature in the caller's text, in UTF-16 units: `text.slice(...at)`.
   * Absent if the model counts the feature's absence.
   */
  readonly at?: readonly [start: number, end: number];
  /** All places of the feature, if there are several. */
  readonly places?: readonly (readonly [start: number, end: number])[];
}

/** Returns what an input contributes, without values that contribute 0. */
export function contributionsOf({ name, type }: InputPort, block: Block, shares: Shares): Contribution[] {
  const isVector = type.kind !== 'scalar';
  if (shares.kind === 'texts') return merged(shares.passages.map((passage) => ofPassage(name, isVector, passage)));
  const numbers = block.kind === 'dense' ? block.values : [];
  return Array.from(shares.entries)
    .sort(([a], [b]) => a - b)
    .map(([index, { slope, constant }]) => {
      const received = Number(numbers[index]);
      const value = slope === 0 ? constant : slope * received + constant;
      return { input: name, ...(isVector && { index }), value, received };
    })
    .filter(({ value }) => value !== 0);
}

function ofPassage(input: string, isVector: boolean, { feature, contribution, spans }: Passage): Contribution {
  const places = spans.map(({ start, end }) => [start.unit, end.unit] as const);
  const [at] = places;
  const index = spans[0]?.start.element;
  return {
    input,
    ...(isVector && index !== undefined && { index }),
    feature,
    ...(at !== undefined && { at }),
    ...(places.length > 1 && { places }),
    value: contribution,
  };
}

/**
 * Adds contributions of one feature at the same places: several dictionaries may know an n-gram.
 */
function merged(contributions: readonly Contribution[]): Contribution[] {
  const sums = new Map<string, Contribution>();
  for (const one of contributions) {
    const key = JSON.stringify([one.feature, one.index, one.at, one.places]);
    const known = sums.get(key);
    sums.set(key, known === undefined ? one : { ...known, value: known.value + one.value });
  }
  return [...sums.values()].filter(({ value }) => value !== 0);
}
