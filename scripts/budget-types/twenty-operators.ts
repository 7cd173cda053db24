import { type FlourContext, type Program, vector } from 'brezel';

const terms = ['good', 'bad', 'slow', 'great'].map((word) => [word]);
const spaced = (length: number, from = -1) => Array.from({ length }, (_, at) => from + at / length);

/**
 * Builds a program with twenty operators, for every kind of flow, as a user would write it.
 * scripts/budgets.json limits how much work the TypeScript compiler needs for this program.
 */
export function twentyOperators(flour: FlourContext): Program {
  const row = flour.columns({ text: 'string', city: 'string' });
  const words = row
    .select('text')
    .stringNormalize({ case: 'lower' }) // 1
    .collapseSpaces() // 2
    .tokenize({ by: 'words' }) // 3
    .removeStopWords(['the', 'a']); // 4
  const counts = words
    .wordNgram({ vocabulary: terms }) // 5
    .sublinearTf() // 6
    .normalize('l2'); // 7
  const letters = words
    .charNgram({ vocabulary: ['go', 'ba'].map((gram) => [...gram]) }) // 8
    .binarize(0.5); // 9
  const city = row.select('city').oneHot({ categories: ['Bern', 'Rom', 'Wien'] }); // 10
  const numbers = flour
    .input('numbers', vector('float32', 4))
    .unsafeAs('vector')
    .impute({ values: 0 }) // 11
    .scale({ offset: 1, scale: 0.5 }); // 12
  const reduced = numbers.project({ components: spaced(8) }); // 13
  const distances = numbers.kMeansDistances({ centers: spaced(8) }); // 14
  const features = counts.concat(letters, city, reduced, distances); // 15
  const spread = features.reduce('sum'); // 16
  // 17; its inverse link function is 18
  const probability = features.logistic({ weights: spaced(13), bias: 0.1 });
  return flour.program({
    label: probability.classify(['no', 'yes']), // 19
    probability: probability.asScalar(),
    spread: spread.arithmetic('multiply', 2), // 20
  });
}
