/**
 * Values of the attribute `unit` of the operator `hash-ngram`. The kernel `hash_ngram` receives an
 * index into this list.
 */
export const gramUnits = ['token', 'character', 'padded'] as const;
