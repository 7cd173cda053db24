/** One value of a row in an explanation, as `runtime.contributions` returns it. */
export interface ShownContribution {
  readonly input: string;
  readonly value: number;
  readonly index?: number;
  readonly received?: number;
  readonly feature?: string;
  readonly at?: readonly [start: number, end: number];
  readonly places?: readonly (readonly [start: number, end: number])[];
}

/**
 * Returns the name of a value as a picture shows it, for example `x[3] = 61` or `text: "good" (2
 * times)`.
 */
export function contributionName({ input, index, feature, received, places }: ShownContribution): string {
  const name = featureName({ input, index, feature });
  if (feature === undefined) return `${name} = ${shortNumber(received ?? Number.NaN, 7)}`;
  return `${name}${places === undefined ? '' : ` (${places.length} times)`}`;
}

/** Returns the name of a feature, for example `x[3]` or `text: "good"`. */
export function featureName({
  input,
  index,
  feature,
}: {
  readonly input: string;
  readonly index?: number | undefined;
  readonly feature?: string | undefined;
}): string {
  const place = index === undefined ? input : `${input}[${index}]`;
  return feature === undefined ? place : `${place}: ${JSON.stringify(feature)}`;
}

/** Formats a number with a few significant digits. */
export const shortNumber = (value: number, digits = 4): string => `${Number(value.toPrecision(digits))}`;

/** Formats a number with a few significant digits and its sign. */
export const signedNumber = (value: number): string => (value > 0 ? `+${shortNumber(value)}` : shortNumber(value));

/**
 * A part of a text, and whether its words increase (1) or decrease (-1) the score, or neither (0).
 */
export interface SignedPart {
  readonly text: string;
  readonly sign: number;
}

/**
 * Divides a text into parts of one sign. A contribution is spread evenly over the characters of
 * each place of its n-gram; the sign of a character is the sign of the sum of these shares.
 */
export function signedParts(text: string, contributions: readonly ShownContribution[]): SignedPart[] {
  const sums = new Float64Array(text.length);
  for (const { at, places = at === undefined ? [] : [at], value } of contributions)
    for (const [start, end] of places) for (let unit = start; unit < end; unit++) sums[unit]! += value / (end - start);
  const parts: SignedPart[] = [];
  for (let from = 0, to = 0; from < text.length; from = to) {
    const sign = Math.sign(sums[from]!) || 0;
    while (to < text.length && (Math.sign(sums[to]!) || 0) === sign) to++;
    parts.push({ text: text.slice(from, to), sign });
  }
  return parts;
}

/** Returns the texts of a row that have explained words, by input. */
export function explainedTexts(
  row: unknown,
  contributions: readonly ShownContribution[],
): { readonly input: string; readonly parts: readonly SignedPart[] }[] {
  const inputs = new Set(contributions.flatMap(({ input, at, index }) => (at && index === undefined ? [input] : [])));
  return [...inputs].flatMap((input) => {
    const text = typeof row === 'string' ? row : (row as Readonly<Record<string, unknown>> | undefined)?.[input];
    if (typeof text !== 'string') return [];
    return [
      {
        input,
        parts: signedParts(
          text,
          contributions.filter((each) => each.input === input),
        ),
      },
    ];
  });
}
