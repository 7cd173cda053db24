// Core defines tensors, because the runtime reads them without knowing this package.
export {
  type ElementType,
  elementArray,
  elementCount,
  type NumericElement,
  type NumericTensor,
  type StringTensor,
  type Tensor,
  type TensorValue,
} from '@brezel/core';
