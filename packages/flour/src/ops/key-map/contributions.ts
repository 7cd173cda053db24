import type { ContributionRules } from '@brezel/core';
import { carryTexts } from '../index-of/contributions.js';

/** Gives each text the contribution of its key. */
export const contributions: ContributionRules = { carry: carryTexts };
