/**
 * Units of `hash-ngram`. The index of a unit is its number in the attribute of the kernel
 * `hash_ngram`.
 */
export const gramUnits = ['token', 'character', 'padded'] as const;
