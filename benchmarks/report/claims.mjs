// The claims of the paper that contain a number, each with Brezel's ratios and PRETZEL's.

/** @typedef {import('./records.mjs').Comparison} Comparison */
/**
 * @typedef {object} Claim
 * @property {string} what
 * @property {string} goal the goal of the comparisons; `natural` and `expert` are their parts
 * @property {string} natural
 * @property {string} [expert]
 * @property {string} [rivals] names of rivals other than the two graphs
 * @property {{ ratio?: number, text: string }} paper
 */

/** @type {readonly Claim[]} */
const claims = [
  {
    what: 'memory, 250 SA pipelines',
    goal: 'G8',
    natural: 'sa natural',
    expert: 'sa expert',
    paper: { text: 'rivals out of memory' },
  },
  {
    what: 'memory, 250 AC pipelines',
    goal: 'G8',
    natural: 'ac natural',
    expert: 'ac expert',
    paper: { ratio: 25, text: '25x ML.Net, 62x Clipper' },
  },
  {
    what: 'load time, 250 AC pipelines',
    goal: 'G9',
    natural: 'fleet ac natural',
    expert: 'fleet ac expert',
    paper: { ratio: 96.4, text: '96.4x' },
  },
  {
    what: 'p99 of hot predictions, SA',
    goal: 'G7',
    natural: 'fleet sa natural',
    expert: 'fleet sa expert',
    paper: { ratio: 3.2, text: '3.2x' },
  },
  {
    what: 'p99 of hot predictions, AC',
    goal: 'G7',
    natural: 'fleet ac natural',
    expert: 'fleet ac expert',
    paper: { ratio: 3.1, text: '3.1x' },
  },
  {
    what: 'p99 of first predictions, SA',
    goal: 'G10',
    natural: 'fleet sa natural cold p99',
    expert: 'fleet sa expert cold p99',
    paper: { ratio: 9.8, text: '9.8x' },
  },
  {
    what: 'p99 of first predictions, AC',
    goal: 'G10',
    natural: 'fleet ac natural cold p99',
    expert: 'fleet ac expert cold p99',
    paper: { ratio: 5.7, text: '5.7x' },
  },
  {
    what: 'p99 through HTTP, SA',
    goal: 'G7',
    natural: 'http sa natural',
    expert: 'http sa expert',
    paper: { ratio: 2.16, text: '2.16x Clipper' },
  },
  {
    what: 'p99 through HTTP, AC',
    goal: 'G7',
    natural: 'http ac natural',
    expert: 'http ac expert',
    paper: { ratio: 2.47, text: '2.47x Clipper' },
  },
  {
    what: 'batch throughput, SA',
    goal: 'G3',
    natural: 'batch natural',
    expert: 'batch expert',
    paper: { ratio: 2.6, text: '2.6x' },
  },
  {
    what: 'batch throughput, AC',
    goal: 'G6',
    natural: 'batch natural',
    expert: 'batch expert',
    paper: { ratio: 10, text: '10x' },
  },
  {
    what: 'shared stages cached, SA',
    goal: 'G18',
    natural: 'same text',
    rivals: 'no cache',
    paper: { ratio: 2, text: '2x' },
  },
];

/**
 * @typedef {Claim & { found: { natural: Comparison, expert?: Comparison }, second: { natural?:
 * number, expert?: number } }} FoundClaim
 *   `second` has the ratios of a second run.
 */

/**
 * Returns each claim with its comparisons in a run and its ratios in a second run.
 *
 * @param {readonly Comparison[]} comparisons
 * @param {readonly Comparison[]} second
 * @returns {FoundClaim[]}
 */
export const claimsIn = (comparisons, second) =>
  claims.flatMap((claim) => {
    const find = (/** @type {readonly Comparison[]} */ list, /** @type {string | undefined} */ part) =>
      part === undefined ? undefined : list.findLast((one) => one.goal === claim.goal && one.part === part);
    const natural = find(comparisons, claim.natural);
    if (natural === undefined) return [];
    return [
      {
        ...claim,
        found: { natural, expert: find(comparisons, claim.expert) },
        second: { natural: find(second, claim.natural)?.ratio, expert: find(second, claim.expert)?.ratio },
      },
    ];
  });
