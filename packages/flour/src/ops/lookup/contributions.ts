import type { ContributionRules } from '@brezel/core';

/** What explains an index explains its label. */
export const contributions: ContributionRules = { link: ({ element }) => ({ element, sign: 1 }) };
