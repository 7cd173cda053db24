import { again, inWords, tally } from './again.mjs';
import { between, pairsFor, stating } from './between.mjs';

// A second run, held against the spread that the first one states, as `bench:compare` and the report tell it.

/** @typedef {import('./goals.mjs').Run} Run */
/** @typedef {import('./again.mjs').Line} Line */
/** @typedef {{ about: Record<string, any>, lines: Line[], alone: Line[], pairs: readonly import('./between.mjs').Pair[], between: import('./between.mjs').Between[] }} SecondRun alone: held against the blocks of the first run alone; pairs: of other runs, that spreads are widened by */

/** @param {Run} first @param {Run} second @param {readonly import('./between.mjs').Pair[]} pairs @returns {SecondRun} */
export function secondRun(first, second, pairs) {
  const others = pairsFor(first, pairs);
  return {
    about: second.about,
    lines: again(stating(first, pairs).records, second.records),
    alone: again(first.records, second.records),
    pairs: others,
    between: between(others),
  };
}

/** What spreads are made of, in words. @param {SecondRun} held */
export function learnedInWords({ about, lines, alone, pairs }) {
  if (pairs.length === 0)
    return 'No other pair of runs on this processor is learned (npm run bench:learn): the spread is that of the blocks of the first run alone.';
  const { cores } = pairs[0].machine;
  const where = cores === about.cores ? '' : ` on ${cores} cores, as none is of ${about.cores},`;
  const bare = [...new Set(lines.filter(({ factor }) => factor === undefined).map(({ kind }) => kind))];
  const without =
    bare.length === 0 ? '' : ` Of these nothing is learned, their blocks stand alone: ${bare.join(', ')}.`;
  return (
    `Spreads are widened by what the two runs of ${pairs.length === 1 ? 'another pair' : `${pairs.length} other pairs`}${where} differ beyond those of their blocks.${without} ` +
    `By blocks alone: ${inWords(alone)}.`
  );
}

/** A row for every kind of measurement: its factor, of how many points that is learned, and how many of this run are within and outside. @param {SecondRun} held */
export const kindRows = ({ lines, between: learned }) =>
  [...tally(lines, 'kind')].map(([kind, { within, outside }]) => {
    const { factor, points, typical } = learned.find((one) => one.kind === kind) ?? {};
    return { kind, factor, points, typical, within, outside };
  });
