import type { Program } from '@brezel/flour';
import { type ExplainedPrograms, mergePlans, viewPlans, withExplanations } from '@brezel/oven/explain-views';

export { drawImportance, type ImportancePicture, type ShownImportance } from './beeswarm.js';
export {
  contributionName,
  explainedTexts,
  featureName,
  type ShownContribution,
  type SignedPart,
  shortNumber,
  signedNumber,
} from './contribution-names.js';
export { type ContributionPicture, drawContributions, type ShownExplanation } from './waterfall.js';

/**
 * Draws an SVG picture of the plans into which Oven compiles one or more programs: stages as boxes
 * with their operators, kernels and parameters, and the values between them. Parts that several
 * programs share are drawn once and marked. Five or more models with equal stages are drawn as one.
 *
 * @returns an SVG document without external fonts or scripts. Its colors follow the light or
 * dark scheme of the viewer. Equal plans give equal documents. Widths are in CSS pixels.
 * @throws ERR_OVEN_MEASUREMENT when a measurement belongs to other stages than those of the plan.
 * @example await writeFile('plan.svg', await drawPlans(program));
 */
export async function drawPlans(
  programs: Program | readonly Program[],
  options: ExplainedPrograms = {},
): Promise<string> {
  // loads a layout library, which other users of the package do not need
  const { drawPicture } = await import('./picture.js');
  const list: readonly Program[] = Array.isArray(programs) ? programs : [programs as Program];
  return withExplanations(list, options, (explanations) => drawPicture(mergePlans(viewPlans(explanations))));
}
