import type { ContributionRules } from '@brezel/core';
import { carryTexts } from '../index-of/contributions.js';

/** A text contributes what its number contributes. */
export const contributions: ContributionRules = { carry: carryTexts };
