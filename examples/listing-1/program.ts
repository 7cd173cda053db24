import type { FlourContext, Program } from 'brezel';

// Two little dictionaries and a weight for each of their entries. A trainer would write thousands.
const chars = { goo: 0.8, ood: 0.7, bad: -1.1, '!!!': 0.4, "n't": -0.6, aww: -0.3 };
const words = { great: 1.6, 'not great': -2.5, slow: -0.9, love: 1.4, 'fell apart': -1.8, charming: 1.1 };

/** The sentiment pipeline of the paper's Figure 1, as in its Listing 1 (section 4.1.1). */
export function sentiment(flour: FlourContext): Program {
  // The input is a line of CSV: these are its fields, in order. One of them holds the review.
  const review = flour.csv({ id: 'string', stars: 'int64', text: 'string' }).select('text');

  // Split it into words. Two branches count what they know: runs of three characters, and one or two words.
  const tokens = review.stringNormalize({ case: 'lower' }).tokenize({ by: { pattern: "[a-z'!]+" } });
  const charCounts = tokens.charNgram({ vocabulary: Object.keys(chars).map((gram) => [...gram]) });
  const wordCounts = tokens.wordNgram({ vocabulary: Object.keys(words).map((gram) => gram.split(' ')) });

  // Put both side by side, and score them with a linear model behind a logistic link: a probability.
  const features = charCounts.concat(wordCounts);
  const probability = features.logistic({
    weights: [...Object.values(chars), ...Object.values(words)],
    bias: -0.2,
  });

  // One probability and two labels: above one half it is the second.
  return flour.program(
    { sentiment: probability.classify(['negative', 'positive']), probability: probability.asScalar() },
    { name: 'listing-1' },
  );
}
