import type { Block, PlannedStage } from '@brezel/core';
import { joinRows } from '../block-rows.js';
import { renumbered } from '../rows/row-errors.js';
import type { CachedStageResults } from './cached-results.js';

/** A stage whose results may be cached, and the functions that run it. */
export interface CachedStage {
  readonly planned: PlannedStage;
  readonly results: CachedStageResults;
  /**
   * Runs the stage on the first `rows` rows of the slots. `first` is the index of the first row in
   * the request, for error messages.
   */
  run(slots: Block[], rows: number, first: number): void;
  /** Runs a function and converts its errors to errors of the stage. */
  guard<T>(work: () => T): T;
}

/**
 * If fewer than one row in `LEAST_SHARE` is cached, the stage runs on all rows of the block.
 * Gathering the other rows into a smaller block would take more time than it saves. The addon uses
 * the same number (native/src/cached_stages.hpp).
 */
const LEAST_SHARE = 8;

/**
 * Looks up the rows of a block together, runs the stage on the other rows, and joins both results.
 * Every row gets the bits that the stage computes for it.
 */
export function runCachedStage(stage: CachedStage, slots: Block[], rows: number, first: number): void {
  const { planned, results, guard } = stage;
  const inputs = planned.inputs.map((slot) => slots[slot]!);
  const keys = guard(() => Array.from({ length: rows }, (_, row) => results.keyOf(inputs, row)));
  const found = keys.map((key) => (key === undefined ? undefined : results.find(key)));
  const hits = found.filter((blocks) => blocks !== undefined).length;
  const runsAll = hits * LEAST_SHARE < rows;
  const missing = [...found.keys()].filter((row) => runsAll || found[row] === undefined);
  const outputs = runsAll ? runAll(stage, slots, rows, first) : runSome(stage, slots, missing, first);
  guard(() => {
    missing.forEach((row, at) => {
      if (keys[row] !== undefined && found[row] === undefined) results.cache(keys[row], outputs, at);
    });
  });
  if (!runsAll) join(stage, slots, found, outputs);
}

function runAll({ planned, run }: CachedStage, slots: Block[], rows: number, first: number): readonly Block[] {
  run(slots, rows, first);
  return planned.outputs.map((slot) => slots[slot]!);
}

/**
 * Runs the stage on some rows. Returns the outputs of these rows, or an empty list if there are no
 * rows.
 */
function runSome({ planned, run }: CachedStage, slots: readonly Block[], rows: readonly number[], first: number) {
  if (rows.length === 0) return [];
  const own = [...slots];
  for (const slot of planned.inputs) own[slot] = joinRows(rows.map((row) => ({ block: slots[slot]!, row })));
  try {
    run(own, rows.length, first);
  } catch (error) {
    throw renumbered(error, (row) => first + rows[row - first]!);
  }
  return planned.outputs.map((slot) => own[slot]!);
}

/** Joins cached results and new results, in the order of the rows. */
function join(
  { planned }: CachedStage,
  slots: Block[],
  found: readonly (readonly Block[] | undefined)[],
  outputs: readonly Block[],
): void {
  planned.outputs.forEach((slot, output) => {
    if (found.length === 1) {
      slots[slot] = found[0]![output]!;
      return;
    }
    let next = 0;
    const rows = found.map((blocks) =>
      blocks === undefined ? { block: outputs[output]!, row: next++ } : { block: blocks[output]!, row: 0 },
    );
    slots[slot] = joinRows(rows);
  });
}
