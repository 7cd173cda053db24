import { type ContributionRules, type NumberShare, numberShares, type Shares, sizeOf } from '@brezel/core';

/** Each input gets the shares of its columns. */
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
  if (shares.kind === 'texts') {
    const passages = shares.passages.flatMap((passage) => {
      const spans = passage.spans.filter(({ start }) => start.element >= from && start.element < to);
      const moved = spans.map(({ start, end }) => ({
        start: { ...start, element: start.element - from },
        end: { ...end, element: end.element - from },
      }));
      return moved.length === 0 ? [] : [{ ...passage, spans: moved }];
    });
    return { kind: 'texts', passages };
  }
  const entries: [number, NumberShare][] = [];
  for (const [column, share] of shares.entries) if (column >= from && column < to) entries.push([column - from, share]);
  return numberShares(entries, shares.isFixed);
}
