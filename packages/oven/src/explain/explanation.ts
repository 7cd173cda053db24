import type { OwnedPlan } from '@brezel/core';
import type { Program } from '@brezel/flour';
import type { RuleEvent } from '../driver.js';

/** All there is to tell about one compilation. */
export interface Explanation {
  readonly program: Program;
  readonly plan: OwnedPlan;
  readonly events: readonly RuleEvent[];
}
