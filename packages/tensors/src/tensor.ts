// Tensors are core's: the runtime takes and gives them, and knows nothing of Flour.
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
