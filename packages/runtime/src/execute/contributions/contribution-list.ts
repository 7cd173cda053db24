import type { Block, InputPort, Passage, Shares } from '@brezel/core';
import type { DividedShares } from './divide-score.js';
import type { RowBlocks } from './plan-values.js';

/** The amount that one value of the row adds to the score. */
export interface Contribution {
  /** Name of the input. */
  readonly input: string;
  /** The amount that the value adds to the score. Negative if the value decreases the score. */
  readonly value: number;
  /** Index of the value, if the input is a vector. */
  readonly index?: number;
  /** The number that the plan received. Absent for texts. */
  readonly received?: number;
  /** The n-gram or category as the model contains it, for example in lower case. */
  readonly feature?: string;
  /**
   * The position of the feature's first occurrence in the caller's text, in UTF-16 units:
   * `text.slice(...at)`. Undefined if the text does not contain the feature; its absence can also
   * contribute to a score.
   */
  readonly at?: readonly [start: number, end: number];
  /** The positions of all occurrences of the feature, if there are several. */
  readonly places?: readonly (readonly [start: number, end: number])[];
  /**
   * The standard error of `value` in a sampled explanation. 0 if the value is exact. Absent in
   * other explanations.
   */
  readonly error?: number;
}

/** Returns the contributions of all inputs of a row, without contributions of 0. */
export function listed(
  inputs: readonly InputPort[],
  values: RowBlocks,
  divided: Pick<DividedShares, 'inputs'>,
): Contribution[] {
  return Array.from(divided.inputs, ([input, shares]) =>
    contributionsOf(inputs[input]!, values.get(input)!, shares),
  ).flat();
}

/** Returns a text that identifies a number, category or n-gram of the row. */
export const featureKey = ({ input, index, feature, at, places }: Contribution): string =>
  JSON.stringify([input, index, feature, at, places]);

/** Returns the contributions of an input, without contributions of 0. */
function contributionsOf({ name, type }: InputPort, block: Block, shares: Shares): Contribution[] {
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
 * Adds up contributions of the same feature at the same positions, because several dictionaries may
 * contain an n-gram.
 */
function merged(contributions: readonly Contribution[]): Contribution[] {
  const sums = new Map<string, Contribution>();
  for (const one of contributions) {
    const key = featureKey(one);
    const known = sums.get(key);
    sums.set(key, known === undefined ? one : { ...known, value: known.value + one.value });
  }
  return [...sums.values()].filter(({ value }) => value !== 0);
}
