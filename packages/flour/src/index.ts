export type { NonFiniteChoice } from '@brezel/core';
export { checkAttributes } from './attribute-values.js';
export { applyBlackBox, type BlackBoxFile, type BlackBoxOptions, type BlackBoxPart } from './black-box.js';
export * from './context.js';
export { contributionRules } from './contributions.js';
export * from './custom/index.js';
export { findDefined, registerCustom } from './custom/registry.js';
export {
  type AffineMap,
  type Annotations,
  defineOp,
  float32,
  type InputSource,
  int32,
  type KernelBinding,
  type KernelCost,
  type KernelParameter,
  type KernelUse,
  type Numbers,
  numbersOf,
  type OperatorDefinition,
  type OperatorDoc,
  type OperatorUse,
  operators,
  type ParameterShape,
  type PhysicalKernel,
  type PlannedUse,
} from './define-op.js';
export * from './errors.js';

import './flow-options.js';

export { Flow, type FlowKind } from './flow.js';
export type {
  AnswerOf,
  ColumnKind,
  ElementOf,
  Field,
  FieldElement,
  FieldOf,
  InputKind,
  InputValue,
  RowOf,
  ValueOf,
} from './flow-types.js';
export * from './generated/ops.js';
export type { LearnedNumbers } from './learned.js';
export { missingElements } from './missing.js';
export * from './onnx-mapping.js';
export { checkParameterTypes } from './parameter-types.js';
export { profileProgram, profilePrograms } from './profile.js';
export { Program, type ProgramNode, type ProgramOutput, type Statistics } from './program.js';
export type { AnyFlow, JoinedFields, ProgramAnswer, ProgramRow } from './program-types.js';
export { stepQuality } from './quality.js';
export { operatorDeadline, passesIntegers, referenceKernel, runProgram } from './reference.js';
export { modelResolver, tensorModels } from './tensor-models/models.js';
