import type { FlourContext, Program } from 'brezel';

// Two small dictionaries with a weight for each entry. A trained model has thousands.
const chars = { goo: 0.8, ood: 0.7, bad: -1.1, '!!!': 0.4, "n't": -0.6, aww: -0.3 };
const words = { great: 1.6, 'not great': -2.5, slow: -0.9, love: 1.4, 'fell apart': -1.8, charming: 1.1 };

/** The sentiment pipeline of the paper's Figure 1, as in its Listing 1 (section 4.1.1). */
export function sentiment(flour: FlourContext): Program {
  // The input is a line of CSV: these are its fields, in order. One of them holds the review.
  const review = flour.csv({ id: 'string', stars: 'float32', text: 'string' }).select('text');

  // Split it into words. Two branches count known n-grams: three characters, and one or two words.
  const tokens = review.stringNormalize({ case: 'lower' }).tokenize({ by: { pattern: "[a-z'!]+" } });
  const charCounts = tokens.charNgram({ vocabulary: Object.keys(chars).map((gram) => [...gram]) });
  const wordCounts = tokens.wordNgram({ vocabulary: Object.keys(words).map((gram) => gram.split(' ')) });

  // Concatenate both and score them with a logistic model: a probability.
  const features = charCounts.concat(wordCounts);
  const probability = features.logistic({
    weights: [...Object.values(chars), ...Object.values(words)],
    bias: -0.2,
  });

  // The program returns a probability and a label. The label is 'positive' if the probability is
  // above 0.5.
  return flour.program(
    { sentiment: probability.classify(['negative', 'positive']), probability: probability.asScalar() },
    { name: 'listing-1' },
  );
}
