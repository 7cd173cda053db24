import type { CannotCarry, ContributionRules, ResultCall, StringBlock, TextPosition, TextShares } from '@brezel/core';

// Helpers for the contribution functions of operators on texts. They convert a position in a result
// to the position in the text from which the result was computed.

/**
 * The n-grams of one text may have at most this many places, which take about 100 MB. An
 * explanation that needs more fails with ERR_EXPLAIN_LIMIT.
 */
const MAX_PLACES = 2 ** 19;

/**
 * Returns the reason why a text cannot be explained if it has too many places of n-grams, otherwise
 * undefined.
 */
export const tooManyPlaces = (places: number): CannotCarry | undefined =>
  places > MAX_PLACES
    ? { cannot: 'places', received: `more than ${MAX_PLACES} places of n-grams in a text` }
    : undefined;

/** Returns shares in which `move` has converted every position in a text. */
export function movedPassages(
  { passages }: TextShares,
  move: (position: TextPosition, isEnd: boolean) => TextPosition,
): TextShares {
  return {
    kind: 'texts',
    passages: passages.map((passage) => ({
      ...passage,
      spans: passage.spans.map(({ start, end }) => ({ start: move(start, false), end: move(end, true) })),
    })),
  };
}

/**
 * The origin of each UTF-16 unit of a result: the start and the end of the part of the text from
 * which the unit was computed.
 */
export interface UnitOrigins {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Returns the contribution functions for an operator that computes texts from texts.
 *
 * @param origins returns the origin of each unit of a result. If it returns undefined, the whole
 * text is the origin of each unit.
 */
export function textToText(
  origins: (text: string, result: string, call: ResultCall) => UnitOrigins | undefined,
): ContributionRules {
  return {
    carry(call) {
      if (call.shares.kind !== 'texts') return undefined;
      const [texts, results] = [call.inputs[0], call.result].map((block) => (block as StringBlock).values);
      const found = texts!.map((text, at) => origins(text, results![at]!, call) ?? wholeText(text, results![at]!));
      const moved = movedPassages(call.shares, ({ element, unit }, isEnd) => {
        const { starts, ends } = found[element]!;
        if (isEnd) return { element, unit: unit === 0 ? 0 : ends[unit - 1]! };
        return { element, unit: unit < starts.length ? starts[unit]! : texts![element]!.length };
      });
      return { inputs: [moved] };
    },
  };
}

const wholeText = (text: string, result: string): UnitOrigins => ({
  starts: new Array<number>(result.length).fill(0),
  ends: new Array<number>(result.length).fill(text.length),
});

/**
 * Returns the origins of the units of a result that was computed code point by code point. Returns
 * undefined if the converted code points and the result have different lengths. The operator may
 * convert a code point differently next to other code points, but always to the same number of
 * UTF-16 units.
 *
 * @param convert converts one code point.
 */
export function codePointOrigins(
  text: string,
  result: string,
  convert: (codePoint: string) => string,
): UnitOrigins | undefined {
  const [starts, ends]: [number[], number[]] = [[], []];
  let from = 0;
  for (const codePoint of text) {
    const to = from + codePoint.length;
    const { length } = convert(codePoint);
    for (let unit = 0; unit < length; unit++) {
      starts.push(from);
      ends.push(to);
    }
    from = to;
  }
  return starts.length === result.length ? { starts, ends } : undefined;
}
