import type { ContributionRules } from '@brezel/core';

/** An explanation of a label is an explanation of its index. */
export const contributions: ContributionRules = { link: ({ element }) => ({ element, sign: 1 }) };
