export {
  type Budget,
  type TensorAttributes,
  type TensorCall,
  type TensorOperator,
  tensorOperators,
} from './define.js';
export { tensorModels } from './models.js';
export { allTensorOperators, tensorOperator } from './registry.js';
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
