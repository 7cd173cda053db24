import {
  type ContributionRules,
  type NumberShare,
  numberShares,
  type Shares,
  sizeOf,
  type TextPosition,
} from '@brezel/core';

/** Divides the shares of the result among the inputs: each input gets the shares of its columns. */
export const contributions: ContributionRules = {
  carry({ shares, inputTypes }) {
    let start = 0;
    return {
      inputs: inputTypes.map((type) => {
        const [from, to] = [start, start + sizeOf(type)];
        start = to;
        return partOf(shares, from, to);
      }),
    };
  },
};

function partOf(shares: Shares, from: number, to: number): Shares {
  const moved = (position: TextPosition) => ({ ...position, element: position.element - from });
  if (shares.kind === 'texts') {
    const passages = shares.passages.flatMap((passage) => {
      // A passage without a position belongs to the first input.
      const [first = from === 0 ? undefined : -1] = passage.spans.map(({ start }) => start.element);
      if (first !== undefined && !(first >= from && first < to)) return [];
      const spans = passage.spans.filter(({ start }) => start.element >= from && start.element < to);
      return [{ ...passage, spans: spans.map(({ start, end }) => ({ start: moved(start), end: moved(end) })) }];
    });
    return { kind: 'texts', passages };
  }
  const entries: [number, NumberShare][] = [];
  for (const [column, share] of shares.entries) if (column >= from && column < to) entries.push([column - from, share]);
  return numberShares(entries, shares.isFixed);
}
