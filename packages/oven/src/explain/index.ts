import type { Program } from '@brezel/flour';
import { bake } from '../bake.js';
import type { OvenOptions, RuleEvent } from '../driver.js';
import { explainAsDot } from './dot.js';
import type { Explanation } from './explanation.js';
import { explainAsJson } from './json.js';
import { explainAsText } from './text.js';

export type { Explanation } from './explanation.js';

export interface ExplainOptions extends OvenOptions {
  /** Shows each rule that fired, with the plan before and after it. Text only. */
  readonly verbose?: boolean;
  /** `dot` is for Graphviz. Default `text`. */
  readonly format?: 'text' | 'json' | 'dot';
}

/**
 * Shows how Oven plans a program: its stages, the kernels that were chosen, the parameters and their bytes, and the rules that fired.
 *
 * @example console.log(explain(program, { verbose: true }));
 */
export function explain(program: Program, options: ExplainOptions = {}): string {
  const { verbose = false, format = 'text', ...oven } = options;
  const events: RuleEvent[] = [];
  const observe = (event: RuleEvent) => {
    events.push(event);
    oven.observe?.(event);
  };
  const plan = bake(program, { ...oven, observe });
  try {
    const explanation: Explanation = { program, plan, events };
    if (format === 'json') return explainAsJson(explanation);
    return format === 'dot' ? explainAsDot(explanation) : explainAsText(explanation, verbose);
  } finally {
    plan.release();
  }
}
