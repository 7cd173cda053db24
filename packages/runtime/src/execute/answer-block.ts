import type { Answer } from './answers.js';
import type { Column } from './row-schema.js';

/**
 * Answers a block of checked rows. `first` is the index of the block's first row in the request,
 * for error messages. The engine calls `check` between operators that run in JavaScript.
 */
export type AnswerBlock = (columns: readonly Column[], rows: number, first: number, check?: () => void) => Answer[];
