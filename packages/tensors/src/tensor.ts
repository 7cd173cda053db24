// The types of tensors are defined in core, because the runtime uses them and does not import this
// package.
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
