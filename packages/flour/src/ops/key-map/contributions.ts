import type { ContributionRules } from '@brezel/core';
import { carryTexts } from '../index-of/contributions.js';

/** The contribution of a text is the contribution of its number. */
export const contributions: ContributionRules = { carry: carryTexts };
