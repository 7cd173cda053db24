import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { golden, namesIn, worstDifference } from './answers.js';

/** Models that `write_models.py` wrote with scikit-learn 1.2.1, and the answers of scikit-learn. */
const committed = fileURLToPath(new URL('models', import.meta.url));

describe('models of scikit-learn', () => {
  test.each(namesIn(committed))('%s answers like scikit-learn', async (name) => {
    expect(await worstDifference(golden(committed, name), 'float64')).toBeLessThan(1e-12);
  });

  test.each(['churn', 'logistic', 'svr', 'tfidf'])('%s in float32 differs in the last digits', async (name) => {
    expect(await worstDifference(golden(committed, name), 'float32')).toBeLessThan(1e-4);
  });
});
