// The figures of the paper and its results: Lee et al., "PRETZEL: Opening the Black Box of Machine
// Learning Prediction Serving Systems", OSDI 2018. The paper's baselines are ML.Net 0.4, and ML.Net
// in containers under Clipper 0.2, on 16 cores with 32 GB. Brezel's baseline is onnxruntime-node.
// Only ratios can therefore be compared, and the ratios do not say which system is faster. For each
// claim of the paper that contains a number, this module selects the comparison of Brezel.

/**
 * @typedef {{ id: string, title: string, question: string, paper: { what: string, ratio: number
 * }[], result: string }} Figure
 *   A figure of the paper on PRETZEL: the question that it answers, and its results in the paper.
 */

/** @type {Figure[]} */
export const figures = [
  {
    id: 'fig8',
    title: 'Figure 8: memory and load time',
    question: 'How much memory do 250 pipelines need, and how long does it take to load them?',
    paper: [
      { what: 'memory of 250 AC pipelines, compared with ML.Net', ratio: 25 },
      { what: 'memory of 250 AC pipelines, compared with ML.Net + Clipper', ratio: 62 },
      { what: 'load time of 250 AC pipelines (2.8 s), compared with ML.Net (270 s)', ratio: 270 / 2.8 },
    ],
    result: 'In the paper, only PRETZEL held all 250 SA pipelines in 32 GB of memory; ML.Net held 75.',
  },
  {
    id: 'fig9',
    title: 'Figure 9: latency',
    question: 'How long do the first prediction and later predictions take, in the median and at the 99th percentile?',
    paper: [
      { what: 'p99 of hot SA predictions, compared with ML.Net', ratio: 3.2 },
      { what: 'p99 of hot AC predictions, compared with ML.Net', ratio: 3.1 },
      { what: 'p99 of cold SA predictions, compared with ML.Net', ratio: 9.8 },
      { what: 'p99 of cold AC predictions, compared with ML.Net', ratio: 5.7 },
    ],
    result:
      'The paper also measured PRETZEL without two techniques. Without vector pools, hot predictions took 47.1 % longer and cold predictions took 24.7 % longer. Without ahead-of-time compilation, cold predictions took 1.6 times (SA) and 4.2 times (AC) as long.',
  },
  {
    id: 'fig10',
    title: 'Figure 10: sub-plan materialization',
    question: 'How much faster are pipelines when results of shared stages are cached?',
    paper: [{ what: 'SA pipelines with shared stages, with materialization compared with without', ratio: 2 }],
    result: 'In the paper, about 80 % of the SA pipelines became more than twice as fast, and none became slower.',
  },
  {
    id: 'fig11',
    title: 'Figure 11: end to end',
    question: 'What does a client see through HTTP?',
    paper: [
      { what: 'p99 of SA at the client (4.3 ms), compared with ML.Net + Clipper (9.3 ms)', ratio: 9.3 / 4.3 },
      { what: 'p99 of AC at the client (7.3 ms), compared with ML.Net + Clipper (18.0 ms)', ratio: 18 / 7.3 },
    ],
    result:
      'In the paper, the prediction itself took 0.56 ms of the 4.3 ms (SA) and 3.5 ms of the 7.3 ms (AC); the client and HTTP took the remaining time.',
  },
  {
    id: 'fig12',
    title: 'Figure 12: throughput',
    question:
      'How many rows per second do all pipelines answer in batches of 1000, and what does another executor add?',
    paper: [
      { what: 'SA, compared with ML.Net', ratio: 2.6 },
      { what: 'AC, compared with ML.Net', ratio: 10 },
    ],
    result: 'In the paper, the throughput of PRETZEL grew linearly up to 13 cores.',
  },
  {
    id: 'fig13',
    title: 'Figure 13: heavy load',
    question: 'What happens to latency and throughput when more requests arrive than the server can answer?',
    paper: [],
    result:
      'In the paper, the throughput of PRETZEL grew linearly up to 25,000 queries per second and stayed at this rate. A pipeline with a reserved core had the same latency with and without load.',
  },
  {
    id: 'fig14',
    title: 'Figure 14: heavy load, end to end',
    question: 'What happens through HTTP, with one row per request?',
    paper: [],
    result:
      'In the paper, the throughput of PRETZEL grew up to about 300 requests per second. ML.Net + Clipper had a considerably lower throughput, and its latencies were several times as long.',
  },
  {
    id: 'stall',
    title: 'Event loop',
    question: 'How long does a batch block the event loop of Node?',
    paper: [],
    result: 'The paper does not measure how long a batch blocks an event loop, because PRETZEL does not run in one.',
  },
  {
    id: 'start',
    title: 'Process start',
    question: 'How long does a process take from its start to its first answer?',
    paper: [],
    result: 'The paper does not measure process start.',
  },
  {
    id: 'cluster',
    title: 'Several servers',
    question:
      'What does a request cost through NATS, and through HTTP with HAProxy? What does a server fetch for a further model, and how much memory do three servers take? Do requests fail while servers are killed, stopped, replaced and updated?',
    paper: [],
    result:
      'The paper measures one server. Here, three servers, the client, NATS and HAProxy share one machine. Elapsed times therefore contain the time in which they wait for a core. `npm run bench -- cluster cluster-proofs` measures these figures. It runs `npm run example -- cluster`, and the chaos test of @brezel/nats with a million rows.',
  },
];

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

/**
 * @type {(what: string, goal: string, parts: [natural: string, expert?: string], text: string,
 * ratio?: number) => Claim}
 */
const claim = (what, goal, [natural, expert], text, ratio) => ({ what, goal, natural, expert, paper: { ratio, text } });

/** @type {readonly Claim[]} */
const claims = [
  claim('memory, 250 SA pipelines', 'G8', ['sa natural', 'sa expert'], 'rivals out of memory'),
  claim('memory, 250 AC pipelines', 'G8', ['ac natural', 'ac expert'], '25x ML.Net, 62x Clipper', 25),
  claim('load time, 250 AC pipelines', 'G9', ['fleet ac natural', 'fleet ac expert'], '96.4x', 96.4),
  claim('p99 of hot predictions, SA', 'G7', ['fleet sa natural', 'fleet sa expert'], '3.2x', 3.2),
  claim('p99 of hot predictions, AC', 'G7', ['fleet ac natural', 'fleet ac expert'], '3.1x', 3.1),
  claim('p99 of first predictions, SA', 'G10', ['fleet sa natural cold p99', 'fleet sa expert cold p99'], '9.8x', 9.8),
  claim('p99 of first predictions, AC', 'G10', ['fleet ac natural cold p99', 'fleet ac expert cold p99'], '5.7x', 5.7),
  claim('p99 through HTTP, SA', 'G7', ['http sa natural', 'http sa expert'], '2.16x Clipper', 2.16),
  claim('p99 through HTTP, AC', 'G7', ['http ac natural', 'http ac expert'], '2.47x Clipper', 2.47),
  claim('batch throughput, SA', 'G3', ['batch natural', 'batch expert'], '2.6x', 2.6),
  claim('batch throughput, AC', 'G6', ['batch natural', 'batch expert'], '10x', 10),
  { ...claim('shared stages cached, SA', 'G18', ['same text'], '2x', 2), rivals: 'no cache' },
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
