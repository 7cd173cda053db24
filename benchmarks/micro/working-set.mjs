// How a prediction's time grows with what a processor cannot keep in its caches and its branch history: size of the dictionary, number of different
// texts, length, and accents. One text again and again is the figure that flatters; a server sees the last one.
import { naturalFile } from '../lib/model-files.mjs';
import { openServer } from '../lib/ours.mjs';
import { isQuick, measure } from '../lib/report.mjs';
import { summary } from '../lib/stats.mjs';
import { accentedReviews, reviews, shortTexts } from '../lib/workload.mjs';

const sizes = /** @type {import('../lib/dictionary.mjs').Size[]} */ (isQuick ? ['10k'] : ['10k', '100k', '1M']);
const all = reviews(2000);
const texts = {
  'the same text': all.slice(0, 1),
  '20 texts': all.slice(0, 20),
  '200 texts': all.slice(0, 200),
  '2000 texts': all,
  '2000 texts with accents': accentedReviews(2000),
  '2000 texts of 5 words': shortTexts(2000, 5),
  '2000 texts of 25 words': shortTexts(2000, 25),
  '200 texts of 400 words': shortTexts(200, 400),
};

/** Mean µs a call in each of some passes over the texts. @param {() => void} pass @param {number} calls */
function passes(pass, calls) {
  const samples = [];
  for (let at = 0; at < (isQuick ? 3 : 31); at++) {
    const start = performance.now();
    for (let done = 0; done < 2000; done += calls) pass();
    samples.push(((performance.now() - start) * 1000) / 2000);
  }
  return summary(samples.slice(1));
}

for (const size of sizes) {
  const server = await openServer();
  const plan = await server.load(naturalFile(size));
  const out = new Float64Array(plan.width);
  for (const [name, list] of Object.entries(texts)) {
    const pass = () => {
      for (const text of list) server.runtime.predictSync(plan, text, out);
    };
    measure(`predictSync, ${size} dictionary (${plan.engine}): ${name}`, 'µs', passes(pass, list.length));
  }
  await server.runtime.close();
}
