import type { FlourContext } from '@brezel/flour';
import type { Column } from './column.js';
import type { ModelPart } from './model-part.js';
import type { Pipeline } from './pipeline.js';

/**
 * A function that imports one kind of component, and the newest version of the component that it
 * supports.
 */
export interface TransformReader {
  readonly newest: number;
  read(part: ModelPart, pipeline: Pipeline): void;
}

/** The names of an output column and of its source column. */
export interface ColumnPair {
  readonly output: string;
  readonly input: string;
}

/** Reads the pairs of column names with which the data of most transforms starts. */
export function readPairs(part: ModelPart): ColumnPair[] {
  return Array.from({ length: part.count(8) }, () => ({ output: part.string(), input: part.string() }));
}

/**
 * Imports a transform that computes each output column from one input column. Reads the pairs of
 * column names, then the options of each pair, and adds a column for each pair.
 */
export function eachColumn<Options>(
  part: ModelPart,
  pipeline: Pipeline,
  readOptions: (at: number) => Options,
  apply: (column: Column, options: Options, flour: FlourContext) => Column,
): void {
  const pairs = readPairs(part);
  const options = pairs.map((_, at) => readOptions(at));
  part.end();
  pipeline.add(
    part.at,
    pairs.map(({ output, input }, at) => ({
      output,
      inputs: [input],
      apply: ([column], flour) => apply(column!, options[at]!, flour),
    })),
  );
}
