// Wrote v1/fleet.brezel once: node packages/fleet-file/test/formats/make.mjs FILE. Never overwrite
// a file of a released format. A new format version gets a separate folder, and this script may
// change with it.
//
// v1/linked-forest.brezel has one plan over `x`, with two trees of 81 leaves each. The version that
// wrote it stored the nodes of linked forests in another order (ADR 53).
import { createFlour, packFleet, vector } from 'brezel';

const flour = await createFlour();
const text = flour.columns({ text: 'string' }).select('text');
const counts = text.tokenize().wordNgram({ vocabulary: [['good'], ['bad'], ['not', 'good'], ['film']] });
/** @param {string} name @param {number[]} weights @param {number} bias */
const sentiment = (name, weights, bias) =>
  flour.program({ score: counts.logistic({ weights, bias }) }, { name }).plan();
const x = flour.input('x', vector('float32', 2));
const scores = x.linear({ weights: [0.5, -1, 2, 0.25], bias: [0.125, 0] });
const texts = ['good', 'not good', 'a bad film, not good', ''];
const members = [
  {
    plan: sentiment('sentiment-a', [2, -2, -3, 0.125], 0.5),
    rows: texts.map((text) => ({ text })),
    statistics: { accuracy: 0.5 },
  },
  { plan: sentiment('sentiment-b', [1, -4, -2, 0.5], -0.25), rows: texts },
  {
    plan: flour.program({ scores: scores.softmax(), tokens: text.tokenize() }, { name: 'scores-and-tokens' }).plan(),
    rows: [
      { x: [0.25, 0], text: 'a b' },
      { x: [0.75, -0], text: '' },
      { x: [Number.NaN, 0], text: 'é 😀' },
    ],
  },
];
console.log(await packFleet(members, process.argv[2], { store: flour.store }));
