// G9, planning: programs of a family that share one dictionary, from Flour to compiled plans.
import { createFlour } from 'brezel';
import { dictionary } from '../lib/model-files.mjs';
import { randomOf } from '../lib/random.mjs';
import { isQuick, measure, note } from '../lib/report.mjs';
import { summary } from '../lib/stats.mjs';

/** @typedef {import('../lib/dictionary.mjs').Size} Size */

/** Goal: 250 plans in 2 s, after the first. */
const GOAL_MS = 2000;
const FLEET = 250;

/** @param {Size} size */
async function planFamily(size) {
  const { words, pairs, characters } = dictionary(size);
  const flour = await createFlour();
  const text = flour.columns({ text: 'string' }).select('text').stringNormalize({ case: 'lower' });
  const grams = [...words.map((word) => [word]), ...pairs];
  const counts = text.tokenize().wordNgram({ vocabulary: grams });
  const features = counts.concat(text.charNgram({ vocabulary: characters.map((gram) => [...gram]) }));
  const columns = grams.length + characters.length;
  const random = randomOf(1);
  /** @type {number[]} */
  const describeMs = [];
  /** @type {number[]} */
  const planMs = [];
  const plans = [];
  for (let member = 0; member <= FLEET; member++) {
    const weights = Float32Array.from({ length: columns }, () => random() - 0.5);
    const start = performance.now();
    const probability = features.linear({ weights, bias: 0.1 }).map('sigmoid');
    const program = flour.program({ label: probability.threshold(0.5).labels(['no', 'yes']), probability });
    const described = performance.now();
    plans.push(program.plan());
    describeMs.push(described - start);
    planMs.push(performance.now() - described);
  }
  const [first, ...further] = planMs;
  measure(`plan the first SA ${size}`, 'ms', summary([first]));
  measure(`plan a further SA ${size}`, 'ms', summary(further));
  measure(`describe a further SA ${size} (checksum of its weights)`, 'ms', summary(describeMs.slice(1)));
  const total = further.reduce((sum, ms) => sum + ms, 0);
  note(`${FLEET} further plans of ${size} entries: ${total.toFixed(0)} ms (goal: ${GOAL_MS} ms)`);
  for (const plan of plans) plan.release();
  flour.dispose();
}

await planFamily(isQuick ? '10k' : '1M');
