// Answers first: a wrong answer's time is worth nothing.

/** Float32 sums in another order differ by less. */
export const TOLERANCE = 2e-5;
/** Of a thousand rows so many may fall on the other side of a threshold: features of a tree that differ in the last bit. */
const FLIPS = 2;

/**
 * Compares answers of several predictors, the first of which is the truth.
 *
 * @param {string} what
 * @param {Record<string, ArrayLike<number>>} answers of each, a number a row
 * @param {{ flips?: number }} [options] rows of a thousand that may differ: for trees over computed features, not for sums
 * @returns {string} a line for the report
 * @throws Error that names who differs, and where
 */
export function compareAnswers(what, answers, { flips = 0 } = {}) {
  const [[truthName, truth], ...others] = Object.entries(answers);
  let notes = '';
  for (const [name, numbers] of others) {
    if (numbers.length !== truth.length)
      throw new Error(`${what}: ${name} gives ${numbers.length} answers, ${truthName} ${truth.length}`);
    const differing = Array.from(truth, (wanted, row) => ({ wanted, row })).filter(
      ({ wanted, row }) => !(Math.abs(numbers[row] - wanted) <= TOLERANCE * Math.max(1, Math.abs(wanted))),
    );
    const [first] = differing;
    if (first === undefined) continue;
    if (differing.length > Math.ceil((flips * truth.length) / 1000))
      throw new Error(
        `${what}: ${differing.length} of ${truth.length} rows differ; ${name} says ${numbers[first.row]}, ${truthName} ${first.wanted} for row ${first.row}`,
      );
    notes += `; ${name} takes another branch in ${differing.length}`;
  }
  return `${what}: ${Object.keys(answers).join(' = ')} on ${truth.length} rows (±${TOLERANCE}${notes})`;
}

/** What may differ in answers of a kind. @param {import('./fleets.mjs').Kind} kind */
export const toleranceOf = (kind) => ({ flips: kind === 'ac' ? FLIPS : 0 });
