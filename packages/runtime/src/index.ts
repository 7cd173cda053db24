export type { Column, Row } from './admission.js';
export type { Answer, AnswerElement, AnswerValue } from './answers.js';
export * from './errors.js';
export { fastKernels } from './fallback/index.js';
export type { NativeKernels } from './native.js';
export type { RegisteredPlan } from './registered-plan.js';
export { type EngineName, type RegisterOptions, Runtime, type RuntimeParts } from './runtime.js';
export type { PlanStatistics, RuntimeStatistics } from './statistics.js';
