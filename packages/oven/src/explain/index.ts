import type { Program } from '@brezel/flour';
import { explainAsDot } from './dot.js';
import { type ExplainedPrograms, withExplanations } from './explanation.js';
import { explainAsJson } from './json.js';
import { explainAsText } from './text.js';

export type { ExplainedPrograms } from './explanation.js';
export { type ExplainTensorsOptions, explainTensors } from './tensors.js';

/** Options of `explain`. */
export interface ExplainOptions extends ExplainedPrograms {
  /**
   * Whether the text also lists each applied rule and what it changed. Other formats ignore this
   * option.
   */
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
 * @throws ERR_OVEN_GRAPH without programs; ERR_OVEN_MEASUREMENT if the stages of a measurement are
 * not the stages of the plan; ERR_OVEN_PLACEMENT if `place` returns other stages. The errors of
 * compilation apply too (see `bake`).
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
