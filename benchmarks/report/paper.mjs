// What the paper shows, and what it found: Lee et al., "PRETZEL: Opening the Black Box of Machine Learning Prediction Serving Systems", OSDI 2018.
// Its rivals are ML.Net 0.4, and ML.Net in containers under Clipper 0.2, on 16 cores with 32 GB; ours is onnxruntime-node. So only ratios are set
// side by side, and they say how the idea carries, not who is faster.

/** @typedef {{ id: string, title: string, question: string, paper: { what: string, ratio: number }[], told: string, section: string }} Figure */

/** @type {Figure[]} */
export const figures = [
  {
    id: 'fig8',
    title: 'Figure 8: memory and load time',
    question: 'What do 250 pipelines hold in memory, and how long does it take to load them?',
    section: '5.1',
    paper: [
      { what: 'memory of 250 AC, against ML.Net', ratio: 25 },
      { what: 'memory of 250 AC, against ML.Net + Clipper', ratio: 62 },
      { what: 'loading 250 AC (2.8 s), against ML.Net (270 s)', ratio: 270 / 2.8 },
    ],
    told: 'Of SA, only PRETZEL held all 250 in 32 GB; ML.Net had filled them with 75.',
  },
  {
    id: 'fig9',
    title: 'Figure 9: latency',
    question: 'How long does one prediction take, the first time and later, in the middle and in the tail?',
    section: '5.2.1',
    paper: [
      { what: 'hot p99 of SA, against ML.Net', ratio: 3.2 },
      { what: 'hot p99 of AC, against ML.Net', ratio: 3.1 },
      { what: 'cold p99 of SA, against ML.Net', ratio: 9.8 },
      { what: 'cold p99 of AC, against ML.Net', ratio: 5.7 },
    ],
    told: 'Without vector pools, hot predictions took 47.1 % longer, cold ones 24.7 %; without ahead-of-time compilation, cold ones 1.6 (SA) and 4.2 (AC) times as long.',
  },
  {
    id: 'fig10',
    title: 'Figure 10: sub-plan materialization',
    question: 'What is it worth to keep the results of stages that pipelines share?',
    section: '5.2.1',
    paper: [{ what: 'SA where it applies, with against without', ratio: 2 }],
    told: 'Around 80 % of the SA pipelines were more than twice as fast, none was slower.',
  },
  {
    id: 'fig11',
    title: 'Figure 11: end to end',
    question: 'What does a client see through HTTP?',
    section: '5.2.2',
    paper: [
      { what: 'p99 of SA at the client (4.3 ms), against ML.Net + Clipper (9.3 ms)', ratio: 9.3 / 4.3 },
      { what: 'p99 of AC at the client (7.3 ms), against ML.Net + Clipper (18.0 ms)', ratio: 18 / 7.3 },
    ],
    told: 'Of the 4.3 ms, the prediction took 0.56; of the 7.3 ms, 3.5.',
  },
  {
    id: 'fig12',
    title: 'Figure 12: throughput',
    question: 'How many rows a second do all pipelines answer in batches of 1000, and what does another executor add?',
    section: '5.3',
    paper: [
      { what: 'SA, against ML.Net', ratio: 2.6 },
      { what: 'AC, against ML.Net', ratio: 10 },
    ],
    told: 'PRETZEL scaled linearly to 13 cores.',
  },
  {
    id: 'fig13',
    title: 'Figure 13: heavy load',
    question: 'What happens to latency and throughput as more requests arrive than can be served?',
    section: '5.4.1',
    paper: [],
    told: 'Throughput grew linearly up to 25,000 queries a second and stayed there; with a core reserved, a pipeline saw no longer latencies under load.',
  },
  {
    id: 'fig14',
    title: 'Figure 14: heavy load, end to end',
    question: 'And through HTTP, every request of one row?',
    section: '5.4.2',
    paper: [],
    told: 'Throughput grew up to around 300 requests a second; that of ML.Net + Clipper stayed considerably lower, with latencies several times as long.',
  },
  {
    id: 'stall',
    title: 'Event loop',
    question: 'For how long does a batch keep the event loop of Node from anything else?',
    section: '',
    paper: [],
    told: 'The paper has no event loop.',
  },
  {
    id: 'start',
    title: 'Process start',
    question: 'From the start of a process to its first answer: how long?',
    section: '',
    paper: [],
    told: 'The paper measures no start.',
  },
];

export const CITATION =
  'Yunseong Lee, Alberto Scolari, Byung-Gon Chun, Marco Domenico Santambrogio, Markus Weimer, Matteo Interlandi: PRETZEL: Opening the Black Box of Machine Learning Prediction Serving Systems. OSDI 2018.';
