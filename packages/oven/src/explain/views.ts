/**
 * What other packages need to draw plans. `@brezel/explain-svg` imports this module as
 * `@brezel/oven/explain-views`.
 */
export {
  type Drawing,
  type DrawnEdge,
  type DrawnInput,
  type DrawnModel,
  type DrawnStage,
  mergePlans,
} from './drawing.js';
export { type ExplainedPrograms, withExplanations } from './explanation.js';
export { runOf } from './measured-table.js';
export { placementWords, placeWords } from './placement.js';
export { type PlannedStageView, type PortView, viewPlans } from './plan-view.js';
export type { StepView } from './stage-view.js';
export { count, javascriptLines, partOfModels, percent, printable, printBytes, printTime } from './words.js';
