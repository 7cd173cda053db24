import type { ContributionRules } from '@brezel/core';

/** Explains a label by the explanation of its index. */
export const contributions: ContributionRules = { link: ({ element }) => ({ element, sign: 1 }) };
