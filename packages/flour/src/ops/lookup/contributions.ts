import type { ContributionRules } from '@brezel/core';

/** Explains a label in the same way as the index from which it was looked up. */
export const contributions: ContributionRules = { link: ({ element }) => ({ element, sign: 1 }) };
