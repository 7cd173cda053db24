import type { ModelPart } from './model-part.js';
import type { Pipeline } from './pipeline.js';

/** How a component is read: the newest version that is known, and what its columns are. */
export interface TransformReader {
  readonly newest: number;
  read(part: ModelPart, pipeline: Pipeline): void;
}

/** Name of an output column and of the column it is made of. */
export interface ColumnPair {
  readonly output: string;
  readonly input: string;
}

/** The columns at the beginning of most transforms. */
export function readPairs(part: ModelPart): ColumnPair[] {
  return Array.from({ length: part.count(8) }, () => ({ output: part.string(), input: part.string() }));
}
