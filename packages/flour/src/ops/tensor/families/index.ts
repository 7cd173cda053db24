import type { TensorOperator } from '../define.js';
import { unary } from './unary.js';

/** Operators by family, one file each. */
export const families: readonly (readonly TensorOperator[])[] = [unary];
