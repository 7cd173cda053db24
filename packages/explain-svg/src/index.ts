import type { Program } from '@brezel/flour';
import { type ExplainedPrograms, mergePlans, viewPlans, withExplanations } from '@brezel/oven/explain-views';

/**
 * Draws how Oven plans one or more programs: stages as boxes with their operators, kernels and parameters, and what flows between them. What
 * several programs share is drawn once, and marked.
 *
 * @returns an SVG document that needs nothing else: no fonts, no scripts, light and dark viewers show the same. The same plans give the same
 * document. Widths are in CSS pixels.
 * @throws ERR_OVEN_MEASUREMENT when a measurement is of other stages than those of the plan.
 * @example await writeFile('plan.svg', await drawPlans(program));
 */
export async function drawPlans(
  programs: Program | readonly Program[],
  options: ExplainedPrograms = {},
): Promise<string> {
  const { drawPicture } = await import('./picture.js'); // brings a layout library, which nobody loads who draws nothing
  const list: readonly Program[] = Array.isArray(programs) ? programs : [programs as Program];
  return withExplanations(list, options, (explanations) => drawPicture(mergePlans(viewPlans(explanations))));
}
