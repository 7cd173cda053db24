import type { Program } from '@brezel/flour';
import { explainAsDot } from './dot.js';
import { type ExplainedPrograms, withExplanations } from './explanation.js';
import { explainAsJson } from './json.js';
import { explainAsText } from './text.js';

export type { ExplainedPrograms } from './explanation.js';
export { type ExplainTensorsOptions, explainTensors } from './tensors.js';

/** Options of `explain`. */
export interface ExplainOptions extends ExplainedPrograms {
  /** True also prints each applied rule and what it changed. For the text format only. */
  readonly verbose?: boolean;
  /** `dot` is for Graphviz. Default `text`. Use `drawPlans` for SVG pictures. */
  readonly format?: 'text' | 'json' | 'dot';
}

/**
 * Shows how Oven compiles a program: its stages, the selected kernels, the parameters with their
 * bytes, and the applied rules. For several programs it also shows what they share.
 *
 * Cost: compiles every program.
 *
 * @throws ERR_OVEN_MEASUREMENT if a measurement is about other stages than the plan's;
 * ERR_OVEN_PLACEMENT if a placement is about other stages.
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
