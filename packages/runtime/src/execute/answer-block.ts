import type { Answer } from './answers.js';
import type { Column } from './row-schema.js';

/**
 * Answers a block of checked rows. `first` is the number of its first row. `check` is called
 * between operators that run in JavaScript.
 */
export type AnswerBlock = (columns: readonly Column[], rows: number, first: number, check?: () => void) => Answer[];
