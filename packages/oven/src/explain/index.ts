import type { Program } from '@brezel/flour';
import { explainAsDot } from './dot.js';
import { type ExplainedPrograms, withExplanations } from './explanation.js';
import { explainAsJson } from './json.js';
import { explainAsText } from './text.js';

export type { ExplainedPrograms } from './explanation.js';
export { type ExplainTensorsOptions, explainTensors } from './tensors.js';

export interface ExplainOptions extends ExplainedPrograms {
  /** Also print each rule that fired and what it changed. Text format only. */
  readonly verbose?: boolean;
  /** `dot` is for Graphviz. Default `text`. `drawPlans` draws SVG pictures. */
  readonly format?: 'text' | 'json' | 'dot';
}

/**
 * Shows how Oven plans a program: its stages, the chosen kernels, the parameters with their bytes,
 * and the rules that fired. For several programs it also shows what they share.
 *
 * Cost: compiles every program.
 *
 * @throws ERR_OVEN_MEASUREMENT when a measurement belongs to other stages than those of the plan;
 * ERR_OVEN_PLACEMENT when a placement does.
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
