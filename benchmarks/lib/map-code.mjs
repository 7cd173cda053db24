/**
 * What a good programmer writes without a library: one Map from n-gram to weight for each kind, a regular expression for words, and sums as it goes.
 * Word pairs and character 3-grams are looked up as slices of strings, so that the Map's hash is all that is computed.
 *
 * @param {import('./dictionary.mjs').Dictionary} dictionary
 * @param {import('./onnx-models.mjs').Weights} weights
 * @returns {(text: string) => number} probability of class 1
 */
export function mapPredictor(dictionary, weights) {
  const words = new Map(dictionary.words.map((word, at) => [word, weights.words[at]]));
  const pairs = new Map(dictionary.pairs.map((pair, at) => [pair.join(' '), weights.pairs[at]]));
  const characters = new Map(dictionary.characters.map((gram, at) => [gram, weights.characters[at]]));
  const hasPairs = /[\ud800-\udfff]/; // two surrogates are one character
  return (text) => {
    let score = weights.bias;
    let previous = '';
    for (const word of text.match(/[a-zA-Z0-9_]+/g) ?? []) {
      score += words.get(word) ?? 0;
      if (previous !== '') score += pairs.get(`${previous} ${word}`) ?? 0;
      previous = word;
    }
    if (!hasPairs.test(text)) {
      for (let at = 0; at + 3 <= text.length; at++) score += characters.get(text.slice(at, at + 3)) ?? 0;
    } else {
      const points = [...text];
      for (let at = 0; at + 3 <= points.length; at++)
        score += characters.get(points[at] + points[at + 1] + points[at + 2]) ?? 0;
    }
    return 1 / (1 + Math.exp(-score));
  };
}
