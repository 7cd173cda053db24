/**
 * Units of the operator `hash-ngram`. The kernel `hash_ngram` receives the index of the unit in
 * this list.
 */
export const gramUnits = ['token', 'character', 'padded'] as const;
