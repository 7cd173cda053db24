import { addShares, type ContributionRules, type NumberShare, numberShares, type TextPosition } from '@brezel/core';

/** Adds up the shares of all copies of a selected column. */
export const contributions: ContributionRules = {
  link({ element, parameters }) {
    const { data } = parameters.columns as { data: Int32Array };
    return { element: data[element]!, sign: 1, isLoose: true };
  },
  carry({ shares, parameters }) {
    const { data } = parameters.columns as { data: Int32Array };
    if (shares.kind === 'texts') {
      const moved = (position: TextPosition) => ({ ...position, element: data[position.element]! });
      const passages = shares.passages.map((passage) => ({
        ...passage,
        spans: passage.spans.map(({ start, end }) => ({ start: moved(start), end: moved(end) })),
      }));
      return { inputs: [{ kind: 'texts', passages }] };
    }
    const copies = Array.from(shares.entries, ([column, share]): [number, NumberShare] => [data[column]!, share]);
    const isRepeated = new Set(copies.map(([column]) => column)).size < copies.length;
    if (!isRepeated) return { inputs: [numberShares(copies, shares.isFixed)] };
    return { inputs: [addShares(copies.map((copy) => numberShares([copy], shares.isFixed)))] };
  },
};
