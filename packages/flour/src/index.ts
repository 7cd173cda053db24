export * from './context.js';
export {
  type Annotations,
  defineOp,
  float32,
  int32,
  type KernelBinding,
  type KernelParameter,
  type Numbers,
  type OperatorDefinition,
  type OperatorUse,
  operators,
  type ParameterShape,
} from './define-op.js';
export * from './errors.js';
export { Flow, type FlowKind } from './flow.js';
export * from './generated/ops.js';
export * from './onnx-mapping.js';
export { Program, type ProgramNode, type ProgramOutput, type Statistics } from './program.js';
export * from './reference.js';
