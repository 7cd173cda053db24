import { createFlour, openStore, packFleet } from 'brezel';

/** Enough words for a file of several MiB. Files below 1 MiB are never mapped as snapshots. */
const WORDS = 60_000;

/**
 * Packs plans `m0` and `m1`. They return `answer`, plus 1 or 2 for every known word of the text:
 * `word0`, `word1` and so on.
 */
export async function packAnswer(path: string, answer: number, words = WORDS): Promise<void> {
  const store = await openStore();
  using flour = await createFlour({ store });
  const vocabulary = Array.from({ length: words }, (_, word) => [`word${word}`]);
  const members = [0, 1].map((member) => {
    const counts = flour.columns({ text: 'string' }).select('text').tokenize().wordNgram({ vocabulary });
    const weights = new Float32Array(words).fill(1 + member);
    return { name: `m${member}`, plan: counts.linear({ weights, bias: answer }).plan() };
  });
  await packFleet(members, path, { store });
  for (const { plan } of members) plan.release();
}
