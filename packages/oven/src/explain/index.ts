import type { Program } from '@brezel/flour';
import { explainAsDot } from './dot.js';
import { type ExplainedPrograms, withExplanations } from './explanation.js';
import { explainAsJson } from './json.js';
import { explainAsText } from './text.js';

export type { ExplainedPrograms } from './explanation.js';
export { type ExplainTensorsOptions, explainTensors } from './tensors.js';

export interface ExplainOptions extends ExplainedPrograms {
  /** Shows each rule that fired, with what it changed. Text only. */
  readonly verbose?: boolean;
  /** `dot` is for Graphviz. Default `text`. Pictures are drawn by `drawPlans`. */
  readonly format?: 'text' | 'json' | 'dot';
}

/**
 * Shows how Oven plans a program: its stages, the kernels that were chosen, the parameters and their bytes, and the rules that fired. Of several
 * programs it also shows what they share.
 *
 * @throws ERR_OVEN_MEASUREMENT when a measurement is of other stages than those of the plan; ERR_OVEN_PLACEMENT likewise.
 * @example console.log(explain(program, { verbose: true }));
 */
export function explain(programs: Program | readonly Program[], options: ExplainOptions = {}): string {
  const { verbose = false, format = 'text', ...rest } = options;
  return withExplanations(listOf(programs), rest, (explanations) => {
    if (format === 'json') return explainAsJson(explanations);
    return format === 'dot' ? explainAsDot(explanations) : explainAsText(explanations, verbose);
  });
}

const listOf = (programs: Program | readonly Program[]): readonly Program[] =>
  Array.isArray(programs) ? programs : [programs as Program];
