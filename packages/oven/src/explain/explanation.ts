import type { OwnedPlan } from '@brezel/core';
import type { Program } from '@brezel/flour';
import type { RuleEvent } from '../driver.js';
import type { LogicalPlan } from '../logical-plan.js';

/** All there is to tell about one compilation. */
export interface Explanation {
  readonly program: Program;
  readonly plan: OwnedPlan;
  readonly logical: LogicalPlan;
  readonly events: readonly RuleEvent[];
}
