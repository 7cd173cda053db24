export { controlOperators } from './control/index.js';
export {
  type Budget,
  type TensorAttributes,
  type TensorCall,
  type TensorOperator,
  tensorOperators,
} from './define.js';
export { integerRange, isFloat } from './elements.js';
export { parseEquation } from './equation.js';
export type { NodeCall, TensorBody, TensorExecutable } from './executable.js';
export type { TensorGraph, TensorNode } from './graph.js';
export { defaultTensorLimits, runTensorProgram, runTensorProgramLater } from './interpret.js';
export { modelResolver, tensorModels } from './models.js';
export { kernelOfOperator } from './operator-kernels.js';
export { TensorProgram } from './program.js';
export { allTensorOperators, tensorOperator } from './registry.js';
export {
  type NodeFacts,
  ownResolvers,
  resolveNode,
  type TensorResolver,
} from './resolve.js';
export {
  type ElementType,
  elementArray,
  elementCount,
  type NumericElement,
  type NumericTensor,
  type StringTensor,
  type Tensor,
  type TensorValue,
} from './tensor.js';
