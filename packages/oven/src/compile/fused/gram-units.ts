/** Units of `hash-ngram`, in the order of the attribute of the kernel `hash_ngram`. */
export const gramUnits = ['token', 'character', 'padded'] as const;
