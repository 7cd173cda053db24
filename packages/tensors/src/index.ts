export {
  floatAttribute,
  floatsAttribute,
  hasAttribute,
  intAttribute,
  intsAttribute,
  stringAttribute,
  stringsAttribute,
  tensorAttribute,
} from './attributes.js';
export { controlOperators } from './control/index.js';
export { convolutionUnder, convolvedInLanes } from './convolution.js';
export {
  type Budget,
  type OperatorSteps,
  type TensorAttributes,
  type TensorCall,
  type TensorOperator,
  tensorOperators,
} from './define.js';
export { integerRange, isFloat } from './elements.js';
export { parseEquation } from './equation.js';
export { TensorError, tensorError, tensorErrors } from './errors.js';
export type { NodeCall, TensorBody, TensorExecutable, TensorSteps } from './executable.js';
export type { TensorGraph, TensorNode } from './graph.js';
export { takeWork } from './images.js';
export { tensorInput } from './inputs.js';
export { defaultTensorLimits, runTensorProgram, runTensorProgramLater } from './interpret.js';
export { kernelOfOperator } from './operator-kernels.js';
export { blockOf, inBlocks, interruptible } from './pauses.js';
export { greatestPosition } from './pooling.js';
export { TensorProgram } from './program.js';
export { reducedInteger, reductions } from './reductions.js';
export { allTensorOperators, tensorOperator } from './registry.js';
export { type NodeFacts, ownResolvers, resolveNode, type TensorResolver } from './resolve.js';
export { binarizeRows } from './rows/binarize.js';
export { imputeRows } from './rows/impute.js';
export {
  countNgrams,
  findNgrams,
  type GramSequence,
  gramSequences,
  gramTexts,
  type NgramAttributes,
  spanOf,
} from './rows/ngram.js';
export { type Norm, normalizeRows, normOf, norms, rowOf } from './rows/normalize.js';
export { scaleRows } from './rows/scale.js';
export {
  reFlags,
  type TokenizeMode,
  type TokenSpan,
  tokenizeModes,
  tokenizeRows,
  tokenSpans,
} from './rows/tokenize.js';
export { shown as shownShape } from './shapes.js';
export { accumulator } from './shared/accumulator.js';
export { type BestOptions, bestIndex } from './shared/best-index.js';
export { castElement } from './shared/cast-element.js';
export { floorModulo, integerPower } from './shared/division.js';
export { formatFloat32, formatFloat64 } from './shared/format-number.js';
export {
  functions,
  isShaped,
  type MapFunction,
  type PlainFunction,
  type ShapedFunction,
  shapedFunctions,
  usualShapes,
} from './shared/functions.js';
export { gramCountsOf } from './shared/gram-counts.js';
export { keyOf } from './shared/key-of.js';
export { murmur3 } from './shared/murmur3.js';
export {
  bitFunctions,
  comparisons,
  connectives,
  floatOperations,
  integerOperations,
} from './shared/operations.js';
export { rowProducts } from './shared/row-products.js';
export { entriesOf, SparseRows } from './shared/sparse-rows.js';
export { type CaseAction, stopWordTest } from './shared/stop-words.js';
export { compactVocabulary, type NewVocabulary, type VocabularyPart } from './shared/vocabulary.js';
export { coveredUnder, type Windows, windowsOf } from './windows.js';
